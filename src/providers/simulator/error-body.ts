/** What OpenAI says with each status, as JSON text (wire.md 1.4), so that clients meet the real thing. */
export function errorBody(status: number, message?: string): string {
  const known = errors[status] ?? (status < 500 ? errors[400] : errors[500])
  const { type = 'server_error', code = null, text = '' } = known ?? {}
  return JSON.stringify({ error: { message: message ?? text, type, param: null, code } })
}

const errors: Readonly<
  Record<number, { readonly type: string; readonly code: string | null; readonly text: string }>
> = {
  400: { type: 'invalid_request_error', code: null, text: 'Invalid request (simulated).' },
  401: {
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    text: 'Incorrect API key provided: sim-****. (simulated)',
  },
  402: {
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    text: 'You exceeded your current quota (simulated).',
  },
  403: {
    type: 'invalid_request_error',
    code: 'unsupported_country_region_territory',
    text: 'Country, region, or territory not supported (simulated).',
  },
  404: {
    type: 'invalid_request_error',
    code: 'model_not_found',
    text: 'The model does not exist or you do not have access to it (simulated).',
  },
  413: { type: 'invalid_request_error', code: 'request_too_large', text: 'Request too large (simulated).' },
  429: {
    type: 'requests',
    code: 'rate_limit_exceeded',
    text: 'Rate limit reached for requests. Please try again in 2s. (simulated)',
  },
  500: {
    type: 'server_error',
    code: null,
    text: 'The server had an error while processing your request. Sorry about that! (simulated)',
  },
  503: {
    type: 'server_error',
    code: null,
    text: 'The engine is currently overloaded, please try again later (simulated).',
  },
}
