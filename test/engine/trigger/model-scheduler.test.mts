/** Random histories, with n8n's scheduler for polls. */
import { testHistories } from './model.mts';

testHistories('scheduler');
