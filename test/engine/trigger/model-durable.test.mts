/** Random histories, with durable cursors. */
import { testHistories } from './model.mts';

testHistories('durable');
