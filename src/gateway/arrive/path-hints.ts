/** Hints for paths that a gateway does not serve. A hint names the other service's feature or the intended path. */

/**
 * Returns a sentence.
 * @param path without its query
 */
export function hintOf(path: string): string {
  const family = families.find(([pattern]) => pattern.test(path))
  if (family) return `Tollgate does not serve ${family[1]}.`
  const meant = meantPath(path)
  return meant === null ? served : `Did you mean ${meant}?`
}

/** Returns whether gateways serve this path or a nearly identical one. */
export function isGatewayPath(path: string): boolean {
  return fixed.has(path) || generateMethod.test(path) || meantPath(path) !== null
}

const served =
  'A gateway serves /v1/chat/completions, /v1/messages, /v1/responses, /v1beta/models/{model}:generateContent and /v1/models.'

const fixed: ReadonlySet<string> = new Set([
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/responses',
  '/v1/responses/input_tokens',
  '/v1/svc/balance',
  '/v1/svc/usage',
])

/** Paths of other services, from their documentation. A leading version is ignored. */
const families: readonly (readonly [RegExp, string])[] = [
  [/\/embeddings\/?$|:(?:batchEmbed|asyncBatchEmbed|embed)\w*$/i, 'embeddings'],
  [/\/images(?:\/|$)|:predict(?:LongRunning)?$/, 'images'],
  [/\/audio(?:\/|$)/, 'audio'],
  [/\/videos(?:\/|$)/, 'videos'],
  [/\/moderations\/?$/, 'moderations'],
  [/\/batches(?:\/|$)|:batchGenerateContent$/, 'batches'],
  [/\/files(?:\/|$)|\/uploads(?:\/|$)|^\/upload\//, 'files'],
  [/\/fine[_-]tun(?:ing|es)(?:\/|$)|\/tunedModels(?:\/|$)/, 'fine-tuning'],
  [/\/assistants(?:\/|$)|\/threads(?:\/|$)/, 'assistants'],
  [/\/vector_stores(?:\/|$)|\/fileSearchStores(?:\/|$)/, 'vector stores'],
  [/\/realtime(?:\/|$)|:bidiGenerateContent$/i, 'realtime sessions'],
  [/\/cachedContents(?:\/|$)/, 'stored contents'],
  [/\/conversations(?:\/|$)/, 'stored conversations'],
  [/\/chat\/completions\/[^/]+/, 'stored completions'],
  [/\/responses\/[^/]+/, 'stored responses'],
  [/\/(?:evals|graders)(?:\/|$)/, 'evaluations'],
  [/\/(?:containers|skills|agents|sessions|environments)(?:\/|$)/, 'containers, skills or agents'],
  [/\/re-?rank\/?$/, 'reranking'],
  [/^\/(?:v1\/)?(?:complete|completions)\/?$/, 'text completions without messages'],
]

/** Prefixes that a base URL repeats, or that belong to another service. */
const prefixes: ReadonlySet<string> = new Set(['v1', 'v1beta', 'v1alpha', 'api', 'openai', 'anthropic'])

/** Returns the served path that is nearly this one. Null if no such path exists, or if this path is served. */
function meantPath(path: string): string | null {
  const segments = path.replaceAll(/%2f/gi, '/').split('/').filter(Boolean)
  const isGoogles = segments[0] === 'v1beta' || segments[0] === 'v1alpha'
  while (segments.length > 0 && prefixes.has(segments[0]?.toLowerCase() ?? '')) segments.shift()
  const rest = segments.join('/')
  const method = generateMethod.exec(rest)?.groups
  let meant = `/v1/${rest.toLowerCase()}`
  if (method) {
    const verb = verbs.find((each) => each.toLowerCase() === method.verb?.toLowerCase())
    meant = `/v1beta/models/${method.model?.replace(/^models\//, '')}:${verb}`
  } else if (rest.toLowerCase() === 'models') meant = isGoogles ? '/v1beta/models' : '/v1/models'
  else if (/^models\/./.test(rest)) meant = `/v1/${rest}`
  else if (!fixed.has(meant)) return null
  return meant === path ? null : meant.slice(0, 200)
}

const generateMethod = /^(?<model>.+):(?<verb>generateContent|streamGenerateContent|countTokens)$/i
const verbs = ['generateContent', 'streamGenerateContent', 'countTokens']
