import { gardenSuite } from './suite.js';

gardenSuite('gemini');
