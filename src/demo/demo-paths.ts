import type * as z from 'zod'
import { ExternalId } from '#operations/kernel/value-and-page-schemas.ts'
import { demoOperation, type DemoPath } from './demo-operation.ts'
import {
  ApiKeyList,
  CapabilitiesView,
  EndUserList,
  MintedKey,
  MintKeyRequest,
  SubscriptionView,
  TenantView,
  UsageView,
} from './demo-tier-schemas.ts'

/** Some of these paths also belong to the control plane. The code in http/ chooses by the credential of the request. */
export const demoPaths: readonly DemoPath[] = [
  demoOperation({
    id: 'tenant.show',
    method: 'GET',
    path: '/v1/tenant',
    feature: 'tenant',
    summary: 'Show the demo tenant',
    description: 'Returns the tenant whose slug is in `x-demo-tenant`.',
    withToken:
      'This path belongs to the demo tier, which requires x-demo-tenant instead of a token. See GET /v1/whoami.',
    output: TenantView,
    run: (tenant) => tenant.profile(),
  }),
  demoOperation({
    id: 'users.list',
    method: 'GET',
    path: '/v1/end-users',
    feature: 'endUsers',
    summary: 'List end users',
    description: 'Returns the end users of the tenant, newest first, with wallet and usage.',
    output: EndUserList,
    run: (tenant) => tenant.endUsers(),
  }),
  demoOperation({
    id: 'usage',
    method: 'GET',
    path: '/v1/usage',
    feature: 'usage',
    summary: 'Show usage by model name',
    description: 'Returns usage by model name, of one end user or of the whole tenant.',
    query: {
      endUserId: ExternalId.optional().meta({
        description: 'External ID of an end user. Omit for the whole tenant.',
      }),
    },
    output: UsageView,
    errors: ['not_found'],
    run: (tenant, { query }) => tenant.usage(query.endUserId),
  }),
  demoOperation({
    id: 'subscription.show',
    method: 'GET',
    path: '/v1/subscription',
    feature: 'subscription',
    summary: "Show an end user's subscription",
    description: "Returns the end user's plan, its remaining credit and its invoices.",
    query: { endUserId: ExternalId },
    output: SubscriptionView,
    errors: ['not_found'],
    run: (tenant, { query }) => tenant.subscription(query.endUserId),
  }),
  demoOperation({
    id: 'keys.mint',
    method: 'POST',
    path: '/v1/keys',
    feature: 'keys',
    summary: 'Create a key',
    description:
      'Creates a test key for one end user. A new end user is put on the default bundle. Only `endUserId`, `email`, `name` and `livemode` are accepted. Idempotency-Key is ignored. The key is lost when the process stops.',
    body: MintKeyRequest,
    output: MintedKey,
    errors: ['live_mode_refused', 'demo_keys_exhausted'],
    run: (tenant, { body }) => tenant.mint(body),
  }),
  demoOperation({
    id: 'keys.list',
    method: 'GET',
    path: '/v1/keys',
    feature: 'keys',
    summary: 'List keys',
    description: 'Returns the keys of the tenant, newest first, including revoked and expired keys.',
    output: ApiKeyList,
    run: (tenant) => tenant.keys(),
  }),
  demoOperation({
    id: 'capabilities',
    method: 'GET',
    path: '/v1/capabilities',
    feature: 'capabilities',
    summary: "Show the demo tier's features",
    description:
      'Returns every feature of the demo tier, with its paths and whether the feature is implemented.',
    withToken:
      'This path belongs to the demo tier, which requires x-demo-tenant instead of a token. See GET /v1/openapi.json.',
    output: CapabilitiesView,
    run: () => ({
      tier: 'demo' as const,
      liveMode: { enabled: false as const, blockedBy: 'demo_fixtures' as const },
      features: featuresOf(demoPaths),
    }),
  }),
  {
    kind: 'not_built',
    id: 'wallet.grant',
    method: 'POST',
    path: '/v1/end-users/{externalId}/wallet/grant',
    feature: 'walletGrant',
    summary: 'Grant credit to a wallet',
    description:
      'Not implemented. The operation would issue credit without a payment. With a token, use `POST /v1/grants`.',
    withToken:
      'This path belongs to the demo tier, which does not implement the operation. With a token, use POST /v1/grants.',
    parameters: { externalId: ExternalId },
    issue: 'demo-wallet-grant',
  },
  {
    kind: 'not_built',
    id: 'subscription.onDemand',
    method: 'POST',
    path: '/v1/subscription/on-demand',
    feature: 'onDemand',
    summary: 'Set on-demand billing',
    description:
      'Not implemented. The operation would enable or disable on-demand billing, and set its monthly ceiling.',
    withToken: null,
    parameters: {},
    issue: 'demo-on-demand',
  },
  {
    kind: 'not_built',
    id: 'billing.paymentPortal',
    method: 'POST',
    path: '/v1/billing/payment-portal',
    feature: 'paymentPortal',
    summary: 'Open the payment portal',
    description:
      'Not implemented. The operation would return a one-time link to the customer portal of a payment provider.',
    withToken:
      'This path belongs to the demo tier, which does not implement the operation. This server is connected to no payment provider.',
    parameters: {},
    issue: 'demo-payment-portal',
  },
  {
    kind: 'not_built',
    id: 'chat.completions',
    method: 'POST',
    path: '/v1/chat/completions',
    feature: 'chatCompletions',
    summary: 'Send a model request',
    description:
      "The demo tier does not implement this operation. Send model requests to the host of an application's gateway.",
    withToken: null,
    parameters: {},
    issue: 'demo-chat-completions',
  },
]

/** Several paths can belong to one feature. */
function featuresOf(paths: readonly DemoPath[]): z.output<typeof CapabilitiesView>['features'] {
  const features = Map.groupBy(paths, ({ feature }) => feature)
  return Object.fromEntries(
    [...features].map(([feature, own]) => {
      const pages = [...new Set(own.map(({ path }) => path))]
      const missing = own.find((path) => path.kind === 'not_built')
      if (!missing) return [feature, { available: true, pages }]
      return [feature, { available: false, reason: 'not_yet_released', issue: missing.issue, pages }]
    }),
  )
}
