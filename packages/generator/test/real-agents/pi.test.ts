import { gardenSuite } from './suite.js';

gardenSuite('pi');
