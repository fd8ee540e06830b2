import { testTrigger } from './suite.mts';

testTrigger('as usual');
