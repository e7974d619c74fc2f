import { gardenSuite } from './suite.js';

gardenSuite('opencode', 40);
