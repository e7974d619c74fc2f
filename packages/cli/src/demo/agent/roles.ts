import type { Assignment, RoleName } from './assignment.js';
import { discover, repair } from './checks.js';
import { fix, implement } from './building.js';
import { plan, reviewPlan } from './planning.js';
import { review } from './reviewing.js';

/** What each role does; the answer is its last message. */
export const ROLES: { readonly [name in RoleName]: (assignment: Assignment) => string } = {
  'check-discovery': discover,
  'check-repair': repair,
  'planner': plan,
  'plan-reviewer': reviewPlan,
  'implementer': implement,
  'fixer': fix,
  'adversary': review,
};
