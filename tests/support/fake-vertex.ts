/**
 * Each token request must have a valid signature by the service account's key, and each call must have an issued token
 * that is not revoked. simulated-vendor.ts generates the answers, so the simulator's directives also work here.
 */
import { generateKeyPairSync, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { listenLocally } from './listen-on-loopback.ts'
import { startVendor } from './simulated-vendor.ts'

interface TokenFault {
  readonly status: number
  readonly body: string
}

export interface FakeVertex {
  readonly baseUrl: string
  /** The key file of the service account, in Google's format. */
  readonly keyFile: string
  readonly apiKey: string
  readonly grants: readonly Readonly<Record<string, unknown>>[]
  readonly calls: readonly {
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly body: Readonly<Record<string, unknown>>
  }[]
  tokens: { fault?: TokenFault; expiresInSeconds: number; delayMs: number }
  revoke(): void
  close(): Promise<void>
}

const project = 'acme-models-417'

export async function startVertex(): Promise<FakeVertex> {
  const vendor = await startVendor()
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const apiKey = 'AIzaSyExpress0123456789abcdefghijklmno'
  const grants: Record<string, unknown>[] = []
  const calls: { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }[] = []
  const issued = new Set<string>()
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const { close, port } = await listenLocally(server)
  const baseUrl = `http://127.0.0.1:${port}`
  const keyFile = {
    type: 'service_account',
    project_id: project,
    private_key_id: '5f3c2b1a09e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: `gateway@${project}.iam.gserviceaccount.com`,
    token_uri: `${baseUrl}/token`,
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    if (request.url === '/token') return issue(text, response)
    const body = JSON.parse(text)
    const path = request.url ?? ''
    calls.push({ path, headers: request.headers, body })
    const fault = faultOf(path, request.headers, body)
    if (fault !== null) return refuse(response, fault.status, fault.message)
    const { method = '', model = '', publisher } = pattern.exec(path)?.groups ?? {}
    if (method === 'predict') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(predictions(body)))
    }
    const left = new AbortController()
    response.on('close', () => left.abort())
    const answer = await fetch(vendorUrl(publisher, model, method), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(publisher === 'google'
          ? { 'x-goog-api-key': vendor.apiKey }
          : { 'x-api-key': vendor.apiKey, 'anthropic-version': '2023-06-01' }),
      },
      body: JSON.stringify(publisher === 'google' ? body : claudeBody(body, model)),
      signal: left.signal,
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    if (answer.body === null) return void response.end()
    await pipeline(Readable.fromWeb(answer.body), response)
  }

  function vendorUrl(publisher: string | undefined, model: string, method: string): string {
    if (publisher !== 'google') {
      const path = model === 'count-tokens' ? '/v1/messages/count_tokens' : '/v1/messages'
      return vendor.baseUrls.anthropic + path
    }
    const query = method === 'streamGenerateContent' ? '?alt=sse' : ''
    return `${vendor.baseUrls.google}/v1beta/models/${model}:${method}${query}`
  }

  async function issue(form: string, response: ServerResponse): Promise<void> {
    const { delayMs, expiresInSeconds, fault } = world.tokens
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    const fields = new URLSearchParams(form)
    const [head = '', claims = '', signature = ''] = (fields.get('assertion') ?? '').split('.')
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${head}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    )
    response.setHeader('content-type', 'application/json')
    if (!isSigned || fields.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return void response
        .writeHead(400)
        .end('{"error":"invalid_grant","error_description":"Invalid JWT Signature."}')
    grants.push({ ...decoded(head), ...decoded(claims) })
    if (fault) return void response.writeHead(fault.status).end(fault.body)
    const token = `ya29.token-${grants.length}`
    issued.add(token)
    response.end(JSON.stringify({ access_token: token, expires_in: expiresInSeconds, token_type: 'Bearer' }))
  }

  function faultOf(
    path: string,
    headers: IncomingHttpHeaders,
    body: Readonly<Record<string, unknown>>,
  ): { status: number; message: string } | null {
    const { model, place, publisher } = pattern.exec(path)?.groups ?? {}
    if (publisher === undefined) return { status: 404, message: 'there is nothing at this path' }
    const isExpress = place === undefined
    const token = headers.authorization?.replace(/^Bearer /, '')
    const isKnown = isExpress
      ? headers['x-goog-api-key'] === apiKey
      : token !== undefined && issued.has(token)
    if (!isKnown || (isExpress && token !== undefined))
      return { status: 401, message: `Request had invalid authentication credentials for ${project}.` }
    if (publisher === 'anthropic') {
      if (body['anthropic_version'] !== 'vertex-2023-10-16') return invalid('anthropic_version is required')
      if ('model' in body !== (model === 'count-tokens'))
        return invalid('model: Extra inputs are not permitted')
      return null
    }
    const text = JSON.stringify(body)
    if (path.endsWith(':predict')) return predictFault(body)
    if (path.endsWith(':embedContent') && 'model' in body) return invalid('Unknown name "model"')
    if (/"function(?:Call|Response)":\{"id"/.test(text)) return invalid('Unknown name "id"')
    const contents = Array.isArray(body['contents']) ? body['contents'] : []
    return contents.every(({ role }) => role === 'user' || role === 'model')
      ? null
      : invalid('Please use a valid role: user, model.')
  }

  const world: FakeVertex = {
    baseUrl,
    keyFile: JSON.stringify(keyFile, null, 2),
    apiKey,
    grants,
    calls,
    tokens: { expiresInSeconds: 3_599, delayMs: 0 },
    revoke: () => issued.clear(),
    async close() {
      await close()
      await vendor.close()
    },
  }
  return world
}

const pattern =
  /^\/v1(?:beta1)?(?<place>\/projects\/acme-models-417\/locations\/global)?\/publishers\/(?<publisher>google|anthropic)\/models\/(?<model>[^/:]+):(?<method>\w+)(?:\?alt=sse)?$/

/** Converts a body to the form that Anthropic's own API accepts. JSON omits members that are undefined. */
function claudeBody(body: Readonly<Record<string, unknown>>, model: string): object {
  return { ...body, anthropic_version: undefined, ...(model !== 'count-tokens' && { model }) }
}

const instanceFields = ['content', 'task_type', 'title']

/** Vertex AI rejects unknown fields. */
function predictFault({ instances, parameters, ...others }: Readonly<Record<string, unknown>>) {
  const isPlain =
    Array.isArray(instances) &&
    instances.length > 0 &&
    instances.every((one) => Object.keys(one).every((name) => instanceFields.includes(name))) &&
    Object.keys(parameters ?? {}).every((name) => ['outputDimensionality', 'autoTruncate'].includes(name)) &&
    Object.keys(others).length === 0
  return isPlain ? null : invalid('Invalid instances')
}

/** Every word of a text counts as one token. The first number of a vector is the length of its text. */
function predictions({ instances, parameters }: Readonly<Record<string, unknown>>): object {
  const size = Number(Reflect.get(parameters ?? {}, 'outputDimensionality') ?? 3)
  const all = (instances as readonly { readonly content: string }[]).map(({ content }) => ({
    embeddings: {
      values: [content.length, ...Array.from({ length: size - 1 }, () => 0.5)],
      statistics: { truncated: false, token_count: content.split(' ').length },
    },
  }))
  return { predictions: all, metadata: { billableCharacterCount: 9 } }
}

function invalid(message: string): { status: number; message: string } {
  return { status: 400, message }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }))
}

function decoded(part: string): object {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
  return typeof value === 'object' && value !== null ? value : {}
}
