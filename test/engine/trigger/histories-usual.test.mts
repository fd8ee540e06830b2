/** Random histories, as n8n usually keeps state. */
import { testHistories } from './histories.mts';

testHistories('usual', 1);
