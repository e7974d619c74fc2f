/**
 * Copies a value made of plain objects, arrays, strings, numbers, booleans and null, reading only own data properties: no getter and no method of
 * the author's is called. Members that are `undefined` are left out. A value that occurs twice is copied twice.
 *
 * @throws TypeError naming the path of the first getter, symbol, class instance, function, cycle or hole.
 */
export function copyPlainData(value: unknown, path: string): unknown {
  return copy(value, path, []);
}

function copy(value: unknown, path: string, ancestors: readonly object[]): unknown {
  if (typeof value !== 'object' || value === null) {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    throw new TypeError(`${path} must be plain data, got a ${typeof value}`);
  }
  if (ancestors.includes(value)) throw new TypeError(`${path} refers back to an object that contains it`);
  const within = [...ancestors, value];
  return Array.isArray(value) ? copyArray(value, path, within) : copyObject(value, path, within);
}

function copyArray(source: readonly unknown[], path: string, ancestors: readonly object[]): unknown[] {
  // Array.prototype is itself an array, in every realm; the prototype of a subclass is not.
  if (!Array.isArray(Object.getPrototypeOf(source))) throw new TypeError(`${path} must be a plain array, got an instance of a class`);
  const result: unknown[] = [];
  for (const key of Reflect.ownKeys(source)) {
    if (key === 'length') continue;
    if (key !== String(result.length)) throw new TypeError(`${path} must be an array without holes and without members of its own`);
    result.push(copy(dataOf(source, key, `${path}[${key}]`), `${path}[${key}]`, ancestors));
  }
  if (result.length !== source.length) throw new TypeError(`${path} must be an array without holes and without members of its own`);
  return result;
}

function copyObject(source: object, path: string, ancestors: readonly object[]): Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(source);
  // The prototype of a plain object has none, in every realm.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new TypeError(`${path} must be a plain object, got an instance of a class`);
  }
  const result: Record<string, unknown> = {};
  for (const key of Reflect.ownKeys(source)) {
    if (typeof key === 'symbol') throw new TypeError(`${path} has a member keyed by a symbol (${String(key)})`);
    const at = `${path}.${key}`;
    const member = dataOf(source, key, at);
    if (member === undefined) continue;
    // Defined, not assigned, since assigning to `__proto__` would change the copy's prototype.
    Object.defineProperty(result, key, { value: copy(member, at, ancestors), enumerable: true, configurable: true, writable: true });
  }
  return result;
}

function dataOf(source: object, key: string, path: string): unknown {
  const property = Object.getOwnPropertyDescriptor(source, key);
  if (property !== undefined && !('value' in property)) throw new TypeError(`${path} is a getter; give a plain value`);
  return property?.value;
}

/** Freezes a copy made by {@link copyPlainData}, with everything in it. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freezeDeep(member);
  return Object.freeze(value);
}
