/** Random histories, with durable cursors. */
import { testHistories } from './play.mts';

testHistories('durable');
