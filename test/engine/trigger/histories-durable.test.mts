/** Random histories, with durable cursors. */
import { testHistories } from './histories.mts';

testHistories('durable', 1 / 3);
