/** Random histories, as n8n usually keeps state. */
import { testHistories } from './play.mts';

testHistories('usual');
