import { RELAY_ERROR_CODES, type RelayErrorCode } from '../errors/codes.js';
import { RelayError } from '../errors/relay-error.js';

/** What a caller can tell apart without knowing our codes; plugins act on `invalidReport`. */
export type WireCode = 'invalid' | 'notFound' | 'methodNotAllowed' | 'conflict' | 'internalError' | 'invalidReport';

export interface WireError {
  readonly code: WireCode;
  readonly message: string;
  /** The code of `RelayError`. */
  readonly relayCode?: RelayErrorCode;
  readonly hint?: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

/** The envelope of every answer. */
export type WireAnswer<Data> = { readonly ok: true; readonly data: Data } | { readonly ok: false; readonly error: WireError };

const STATUS: { readonly [code in WireCode]: number } = { invalid: 400, notFound: 404, methodNotAllowed: 405, conflict: 409, invalidReport: 422, internalError: 500 };

/** How a refusal travels: HTTP status and body. */
export function toWire(error: RelayError): { readonly status: number; readonly body: { readonly ok: false; readonly error: WireError } } {
  const code = wireCode(error.code);
  const { text: message, hint, evidence } = error;
  return {
    status: STATUS[code],
    body: { ok: false, error: { code, message, relayCode: error.code, ...(hint === undefined ? {} : { hint }), ...(Object.keys(evidence).length === 0 ? {} : { evidence }) } },
  };
}

/** The refusal that travelled. */
export function fromWire({ code, message, relayCode, hint, evidence }: WireError): RelayError {
  const known = relayCode !== undefined && Object.hasOwn(RELAY_ERROR_CODES, relayCode) ? relayCode : RELAY_CODE[code];
  return new RelayError(known, message, { ...(hint === undefined ? {} : { hint }), ...(evidence === undefined ? {} : { evidence }) });
}

const RELAY_CODE: { readonly [code in WireCode]: RelayErrorCode } = {
  invalid: 'request_invalid',
  notFound: 'not_found',
  methodNotAllowed: 'method_not_allowed',
  conflict: 'run_conflict',
  internalError: 'internal_error',
  invalidReport: 'report_invalid',
};

export function wireCode(code: RelayErrorCode): WireCode {
  if (code === 'report_invalid') return 'invalidReport';
  if (code === 'method_not_allowed') return 'methodNotAllowed';
  switch (RELAY_ERROR_CODES[code].kind) {
    case 'terminal':
      return 'invalid';
    case 'missing':
      return 'notFound';
    case 'conflict':
      return 'conflict';
    default:
      return 'internalError';
  }
}
