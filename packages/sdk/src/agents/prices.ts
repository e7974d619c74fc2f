import type { ModelPrice } from './charge.js';
import { PRICE_TABLE } from './price-table.js';

/** The list price of a model by its exact name; `undefined` when it is not in the table. `PRICE_TABLE` says where the prices come from and how old they are. */
export function listPriceOf(model: string): ModelPrice | undefined {
  return Object.hasOwn(PRICE_TABLE.models, model) ? PRICE_TABLE.models[model] : undefined;
}
