/**
 * Creates the first application for `tollgate start`, through the API with the token, as a customer would do it. The
 * first request is sent through the application's own gateway, with a test-mode key. In test mode, the built-in
 * simulator serves every model name, and no provider is called.
 */
import { formatDollars } from '#money/amount.ts'
import { gatewayOf } from '#sdk/clients.ts'
import { requestCode } from '#sdk/client-snippets.ts'
import { Sender } from '#sdk/sender.ts'
import type { RequestsExplainOutput } from '#sdk/generated/operations.ts'
import type { EndUser } from '#sdk/generated/types.ts'
import { routeOf } from '#cli/api-client.ts'
import { gatewayCall } from '#cli/call-gateway.ts'
import { firstRequest, performed, usual, type Choices } from '#cli/operations/recipe-of-first-request.ts'
import { operationById } from '#cli/operations/operation-table.ts'

export interface Receipt {
  readonly gateway: string
  readonly key: string
  readonly requestId: string
  readonly answer: string
  readonly heldMicros: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly chargeMicros: string
  readonly balanceBeforeMicros: string
  readonly balanceAfterMicros: string
}

const slug = 'my-app'
const model = `${slug}/fast`
const question = 'What is a model gateway?'

const choices: Choices = {
  application: { slug, name: usual.application },
  provider: { label: usual.provider, kind: 'simulator' },
  models: [{ name: model, upstream: usual.upstream }],
  bundles: [
    {
      slug: usual.bundle,
      displayName: 'Starter',
      priceMicros: '0',
      interval: 'month',
      allow: [`${slug}/*`],
    },
  ],
  portal: { endUsersMayMintKeys: true, keyCapMicros: '1000000', keyCapsTotalMicros: usual.creditMicros },
  endUsers: [
    {
      key: { endUserId: usual.endUserId, name: 'First key', livemode: false },
      credit: { amountUnits: usual.creditMicros, reason: 'Welcome', idempotencyKey: 'first-application' },
    },
  ],
}

/** @throws Error that names the operation that failed */
export async function createFirstApplication(baseUrl: string, token: string): Promise<Receipt> {
  const sender = new Sender({ baseUrl, token, app: slug, mode: 'test' })
  const call = async <T>(operation: string, input: object): Promise<T> =>
    sender.call<T>(routeOf(operationById(operation)), input)
  const { application, keys } = await performed(firstRequest(choices), call)
  const gateway = gatewayOf(application)
  const key = keys.get(usual.endUserId) ?? ''
  const balance = async (): Promise<string> => {
    const { balance: now } = await call<EndUser>('users.show', { externalId: usual.endUserId })
    return now.balanceUnits
  }
  const balanceBeforeMicros = await balance()
  const { requestId, status, text } = await gatewayCall(
    { gateway, key, model, prompt: question, maxTokens: 100, isStreamed: true },
    { fetch, signal: new AbortController().signal },
  )
  if (status !== 200) throw new Error(`The first request failed with status ${status}: ${text}`)
  const { reserve, settle, usage } = await call<RequestsExplainOutput>('requests.explain', { id: requestId })
  return {
    gateway,
    key,
    requestId,
    answer: text,
    heldMicros: reserve?.worstMicros ?? '',
    inputTokens: usage?.input ?? 0,
    outputTokens: usage?.output ?? 0,
    chargeMicros: settle?.chargeMicros ?? '',
    balanceBeforeMicros,
    balanceAfterMicros: await balance(),
  }
}

function inTestMode(setupUrl: string): string {
  const url = new URL(setupUrl)
  url.searchParams.set('mode', 'test')
  return url.href
}

export function receiptText(
  baseUrl: string,
  { setupUrl, token }: { readonly setupUrl: string; readonly token: string },
  receipt: Receipt,
): string {
  const row = (name: string, amount: string): string =>
    `  ${name.padEnd(16)}${amount.padStart(12)} micros  $${formatDollars(BigInt(amount))}`
  const request = requestCode(
    'curl',
    { wire: 'chat', model, prompt: 'Hello', isStreamed: true },
    { gateway: receipt.gateway, key: receipt.key },
  )
  const { answer, inputTokens, key, outputTokens, requestId } = receipt
  const asOrganization = `-H 'authorization: Bearer ${token}' -H 'x-svc-mode: test'`
  return [
    '',
    `First request through the gateway of the application "${slug}":`,
    '',
    `  question        ${question}`,
    `  answer          ${answer.length > 72 ? `${answer.slice(0, 72)}…` : answer}`,
    `  tokens          ${inputTokens} in, ${outputTokens} out`,
    '',
    row('balance before', receipt.balanceBeforeMicros),
    row('held', receipt.heldMicros),
    row('charged', receipt.chargeMicros),
    row('balance after', receipt.balanceAfterMicros),
    '',
    `  request         ${requestId}`,
    '',
    'Save these secrets now. Each secret is shown only once, because the store keeps only hashes:',
    `  token           ${token}`,
    `  key of "${usual.endUserId}"    ${key}`,
    `  first owner     ${inTestMode(setupUrl)}`,
    '                  (works once, within one hour; see docs/guides/team.md)',
    '',
    'Send the request yourself:',
    request.trimEnd().replaceAll(/^/gm, '  '),
    '',
    'Show how the charge was computed:',
    `  curl ${baseUrl}/v1/requests/${requestId} ${asOrganization}`,
    '',
    'Show the ledger of the end user:',
    `  curl ${baseUrl}/v1/end-users/${usual.endUserId}/ledger ${asOrganization}`,
  ].join('\n')
}
