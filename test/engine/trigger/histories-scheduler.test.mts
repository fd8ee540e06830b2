/** Random histories, with n8n's scheduler for polls. */
import { testHistories } from './histories.mts';

testHistories('scheduler', 1 / 3);
