import { testTrigger } from './suite.mts';

testTrigger("with n8n's scheduler");
