import { formatDollars } from '#money/amount.ts'
import type { Founded } from '#operations/organizations/found.ts'

/**
 * The demo application of the first start. It is created over HTTP through the control plane with the token, as a
 * customer would do it. Its request goes through its own gateway with its own key in test mode. There, the built-in
 * simulator serves every alias and no provider is called.
 */
export interface DemoReceipt {
  readonly gateway: string
  readonly key: string
  readonly endUserId: string
  readonly requestId: string
  readonly answer: string
  readonly heldMicros: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly chargeMicros: string
  readonly balanceBeforeMicros: string
  readonly balanceAfterMicros: string
}

const slug = 'demo'
const model = 'demo/fast'
const endUserId = 'ada'
const grantMicros = '5000000'
const question = 'What is this?'

/** Creates the missing parts of the demo and sends one request. @throws Error naming the step that failed */
export async function tryDemo(baseUrl: string, token: string): Promise<DemoReceipt> {
  const control = controlPlane(baseUrl, token)
  const application = await control('PUT', `/v1/apps/${slug}`, { name: 'Demo' })
  await control('PUT', '/v1/providers/simulator', { kind: 'simulator' })
  await control('PUT', `/v1/models/${encodeURIComponent(model)}`, {
    sources: [{ provider: 'simulator', model: 'sim-1' }],
  })
  await control('PUT', '/v1/bundles/starter', { displayName: 'Starter', priceMicros: '0', interval: 'month' })
  await control('POST', '/v1/bundles/starter/allow', { models: ['demo/*'] })
  // End users create keys in the demo's portal, with a cap of $1 each and a total of $5.
  await control('PATCH', '/v1/portal-settings', {
    endUsersMayMintKeys: true,
    keyCapMicros: '1000000',
    keyCapsTotalMicros: grantMicros,
  })
  await control('PUT', `/v1/end-users/${endUserId}`, { bundle: 'starter' })
  await control('POST', '/v1/grants', {
    endUsers: [endUserId],
    amountUnits: grantMicros,
    reason: 'Welcome',
    idempotencyKey: 'demo-welcome',
  })
  const minted = await control('POST', '/v1/keys', { endUserId, name: 'Demo key', livemode: false })
  const key = text(minted, 'key')
  const gateway = text(application, 'localGateway') || text(application, 'gateway')

  const before = await control('GET', `/v1/end-users/${endUserId}`)
  const call = await streamedCall(gateway, key)
  const after = await control('GET', `/v1/end-users/${endUserId}`)
  const explained = await control('GET', `/v1/requests/${call.requestId}`)
  return {
    gateway,
    key,
    endUserId,
    ...call,
    heldMicros: text(explained, 'reserve', 'worstMicros'),
    inputTokens: Number(value(explained, 'usage', 'input')),
    outputTokens: Number(value(explained, 'usage', 'output')),
    chargeMicros: text(explained, 'settle', 'chargeMicros'),
    balanceBeforeMicros: text(before, 'balance', 'balanceUnits'),
    balanceAfterMicros: text(after, 'balance', 'balanceUnits'),
  }
}

/** Returns the link with the mode of the demo's request, so that the console opens in that mode. */
function inTestMode(setupUrl: string): string {
  const url = new URL(setupUrl)
  url.searchParams.set('mode', 'test')
  return url.href
}

/** Returns the output of `npm start`: the receipt, and lines to paste. */
export function receiptText(
  baseUrl: string,
  { setupUrl, token }: Pick<Founded, 'setupUrl' | 'token'>,
  receipt: DemoReceipt,
): string {
  const row = (name: string, amount: string): string =>
    `  ${name.padEnd(16)}${amount.padStart(12)} micros  $${formatDollars(BigInt(amount))}`
  return `
First request through the gateway of the application "${slug}":

  question        ${question}
  answer          ${receipt.answer.length > 72 ? `${receipt.answer.slice(0, 72)}…` : receipt.answer}
  tokens          ${receipt.inputTokens} in, ${receipt.outputTokens} out

${row('balance before', receipt.balanceBeforeMicros)}
${row('held', receipt.heldMicros)}
${row('charged', receipt.chargeMicros)}
${row('balance after', receipt.balanceAfterMicros)}

  request         ${receipt.requestId}

Shown only once (stored as hashes):
  token           ${token}
  key of "${receipt.endUserId}"    ${receipt.key}
  first owner     ${inTestMode(setupUrl)}
                  (valid once, for one hour; see docs/guides/team.md)

Send the request yourself:
  curl -N ${receipt.gateway}/v1/chat/completions \\
    -H 'authorization: Bearer ${receipt.key}' -H 'content-type: application/json' \\
    -d '{"model":"${model}","stream":true,"messages":[{"role":"user","content":"Hello"}]}'

Show how the charge was computed:
  curl ${baseUrl}/v1/requests/${receipt.requestId} -H 'authorization: Bearer ${token}' -H 'x-svc-mode: test'

Show the ledger of the end user:
  curl ${baseUrl}/v1/end-users/${receipt.endUserId}/ledger -H 'authorization: Bearer ${token}' -H 'x-svc-mode: test'`
}

function controlPlane(baseUrl: string, token: string) {
  return async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-svc-mode': 'test',
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const answer: unknown = await response.json()
    if (!response.ok)
      throw new Error(`the demo setup failed at ${method} ${path}: ${text(answer, 'error', 'message')}`)
    return answer
  }
}

async function streamedCall(gateway: string, key: string): Promise<{ requestId: string; answer: string }> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      stream: true,
      max_tokens: 100,
      messages: [{ role: 'user', content: question }],
    }),
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`the demo setup failed at the model request: ${body}`)
  const answer = body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => {
      const choices = value(JSON.parse(line.slice(6)), 'choices')
      return Array.isArray(choices) ? text(choices[0], 'delta', 'content') : ''
    })
    .join('')
  return { requestId: response.headers.get('x-request-id') ?? '', answer }
}

function value(from: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    from,
  )
}

function text(from: unknown, ...path: string[]): string {
  const found = value(from, ...path)
  return typeof found === 'string' ? found : ''
}
