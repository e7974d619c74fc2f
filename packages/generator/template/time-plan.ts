/** The time of a run. A step gets its share as far as that leaves enough to publish. */
export const MINUTES = {
  /** The whole run. A step that begins later is refused. */
  total: 180,
  /** To stop steps takes a moment. */
  slack: 6,
  /** A step that only asks git, or writes a file. */
  small: 1,
  discovery: 10,
  plan: 15,
  planReview: 10,
  /** Each of three; what they take adds up. */
  prototype: 15,
  implement: 70,
  /** The checks each time, and the least kept for them. */
  check: 60,
  checkFloor: 8,
  repair: 20,
  push: 5,
  /** A review, and the least kept for one. */
  review: 20,
  reviewFloor: 10,
  fix: 25,
};

export const BUDGET = { wallclock: `${MINUTES.total}m` };

/** Drop, check, report twice, validate, push, open; a moment more for opening. */
export const PUBLISHING = MINUTES.push + 7 * MINUTES.small;
/** A review, what it wrote, and the word that it stands in the way. */
export const REVIEWING = MINUTES.reviewFloor + 3 * MINUTES.small;
/** To publish a change, and to review it. */
export const ENDING = PUBLISHING + REVIEWING;
