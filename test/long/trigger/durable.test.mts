import { testTrigger } from './suite.mts';

testTrigger('with durable cursors');
