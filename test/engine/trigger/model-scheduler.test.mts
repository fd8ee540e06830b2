/** Random histories, with n8n's scheduler for polls. */
import { testHistories } from './play.mts';

testHistories('scheduler');
