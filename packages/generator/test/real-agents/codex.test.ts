import { gardenSuite } from './suite.js';

gardenSuite('codex');
