/** What `f.dispatch` gives. A child that ends otherwise rejects with `dispatch_failed`. */
export interface DispatchResult {
  /** The declared name of the child flow. */
  name: string;
  completionReason: 'success';
  /** The `detail` of the child's `done`. */
  completionDetail?: string;
}
