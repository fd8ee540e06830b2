/** Random histories, as n8n usually keeps state. */
import { testHistories } from './model.mts';

testHistories('usual');
