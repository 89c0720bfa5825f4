import type { Rejection } from './simulated-rejection.ts'

/**
 * Both wires of OpenAI have this body (docs/reference/wires.md "Errors on the chat wire", "Errors on the responses
 * wire").
 */
export function openaiError(status: number, rejection: Rejection | null): string {
  return JSON.stringify({ error: openaiErrorOf(status, rejection) })
}

export function openaiErrorOf(status: number, rejection: Rejection | null) {
  const { openai, text } = factsOf(status)
  return {
    message: rejection?.fault ?? text,
    type: openai.type,
    param: rejection?.param ?? null,
    code: rejection === null ? openai.code : rejection.code,
  }
}

/** Source: docs/reference/wires.md "Errors on the messages wire". */
export function anthropicError(status: number, rejection: Rejection | null, callId: string): string {
  const { anthropic, text } = factsOf(status)
  return JSON.stringify({
    type: 'error',
    error: { type: anthropic, message: rejection?.fault ?? text },
    request_id: `req_${callId}`,
  })
}

/** Source: docs/reference/wires.md "Bedrock". */
export function bedrockError(status: number, rejection: Rejection | null): string {
  return JSON.stringify({ message: rejection?.fault ?? factsOf(status).text })
}

/** Source: docs/reference/wires.md "Cohere's chat". */
export function cohereError(status: number, rejection: Rejection | null, callId: string): string {
  return JSON.stringify({ id: callId, message: rejection?.fault ?? factsOf(status).text })
}

/**
 * The body contains the time to wait, because Google sends no Retry-After header (docs/reference/wires.md "Errors on
 * the generate wire").
 */
export function googleError(status: number, rejection: Rejection | null): string {
  const { google, text } = factsOf(status)
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }],
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.4s' },
  ]
  return JSON.stringify({
    error: {
      code: status,
      message: rejection?.fault ?? text,
      status: google,
      ...(status === 429 ? { details } : {}),
    },
  })
}

interface Facts {
  readonly openai: { readonly type: string; readonly code: string | null }
  readonly anthropic: string
  readonly google: string
  readonly text: string
}

function factsOf(status: number): Facts {
  return facts[status] ?? (status < 500 ? badRequest : broken)
}

const badRequest: Facts = {
  openai: { type: 'invalid_request_error', code: null },
  anthropic: 'invalid_request_error',
  google: 'INVALID_ARGUMENT',
  text: 'Invalid request (simulated).',
}

const broken: Facts = {
  openai: { type: 'server_error', code: null },
  anthropic: 'api_error',
  google: 'INTERNAL',
  text: 'The server had an error while processing your request. Sorry about that! (simulated)',
}

const overloaded: Facts = {
  openai: { type: 'server_error', code: null },
  anthropic: 'overloaded_error',
  google: 'UNAVAILABLE',
  text: 'The engine is currently overloaded, please try again later (simulated).',
}

const facts: Readonly<Record<number, Facts>> = {
  400: badRequest,
  401: {
    openai: { type: 'invalid_request_error', code: 'invalid_api_key' },
    anthropic: 'authentication_error',
    google: 'UNAUTHENTICATED',
    text: 'Incorrect API key provided: sim-****. (simulated)',
  },
  402: {
    openai: { type: 'insufficient_quota', code: 'insufficient_quota' },
    anthropic: 'billing_error',
    google: 'RESOURCE_EXHAUSTED',
    text: 'You exceeded your current quota (simulated).',
  },
  403: {
    openai: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
    anthropic: 'permission_error',
    google: 'PERMISSION_DENIED',
    text: 'Country, region, or territory not supported (simulated).',
  },
  404: {
    openai: { type: 'invalid_request_error', code: 'model_not_found' },
    anthropic: 'not_found_error',
    google: 'NOT_FOUND',
    text: 'The model does not exist or you do not have access to it (simulated).',
  },
  413: {
    openai: { type: 'invalid_request_error', code: 'request_too_large' },
    anthropic: 'request_too_large',
    google: 'INVALID_ARGUMENT',
    text: 'Request too large (simulated).',
  },
  429: {
    openai: { type: 'requests', code: 'rate_limit_exceeded' },
    anthropic: 'rate_limit_error',
    google: 'RESOURCE_EXHAUSTED',
    text: 'Rate limit reached for requests. Please try again in 2s. (simulated)',
  },
  500: broken,
  503: overloaded,
  504: {
    openai: { type: 'server_error', code: null },
    anthropic: 'timeout_error',
    google: 'DEADLINE_EXCEEDED',
    text: 'The request took too long (simulated).',
  },
  529: overloaded,
}
