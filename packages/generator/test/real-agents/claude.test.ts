import { gardenSuite } from './suite.js';

gardenSuite('claude');
