import type * as z from 'zod'
import { ExternalId } from '#operations/schemas.ts'
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
} from './schemas.ts'

/**
 * Every path of the demo tier. Only http/ knows which of them also belong to the control plane. There, the credential
 * decides.
 */
export const demoPaths: readonly DemoPath[] = [
  demoOperation({
    id: 'tenant.show',
    method: 'GET',
    path: '/v1/tenant',
    feature: 'tenant',
    summary: 'Show the demo tenant',
    description: 'The tenant that `x-demo-tenant` names.',
    withToken: 'it is the demo tier’s, which takes x-demo-tenant and no token; see GET /v1/whoami.',
    output: TenantView,
    run: (tenant) => tenant.profile(),
  }),
  demoOperation({
    id: 'users.list',
    method: 'GET',
    path: '/v1/end-users',
    feature: 'endUsers',
    summary: 'List end users',
    description: 'All people of the tenant, newest first, with wallet and usage.',
    output: EndUserList,
    run: (tenant) => tenant.endUsers(),
  }),
  demoOperation({
    id: 'usage',
    method: 'GET',
    path: '/v1/usage',
    feature: 'usage',
    summary: 'Show usage by model name',
    description: 'What was used, by the name that was asked for; of one person or of the whole tenant.',
    query: {
      endUserId: ExternalId.optional().meta({
        description: 'External id of one person; left out: everyone.',
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
    description: 'The plan of a person, what is left of it, and its bills.',
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
    summary: 'Mint a key',
    description:
      'Makes a test key that is bound to one person, who is put on the default bundle if new. It takes `endUserId`, `email`, `name` and `livemode` alone, keeps no Idempotency-Key, and forgets the key with the process.',
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
    description: 'All keys of the tenant, newest first, revoked and expired ones included.',
    output: ApiKeyList,
    run: (tenant) => tenant.keys(),
  }),
  demoOperation({
    id: 'capabilities',
    method: 'GET',
    path: '/v1/capabilities',
    feature: 'capabilities',
    summary: 'Show what the demo tier can do',
    description: 'Every feature of the demo tier: its paths, whether it is built, and the issue that will.',
    withToken: 'it is the demo tier’s, which takes x-demo-tenant and no token; see GET /v1/openapi.json.',
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
    description: 'Would issue credit without a payment. With a token there is `POST /v1/grants`.',
    withToken: 'it is the demo tier’s and not built; with a token there is POST /v1/grants.',
    parameters: { externalId: ExternalId },
    issue: 'demo-wallet-grant',
  },
  {
    kind: 'not_built',
    id: 'subscription.onDemand',
    method: 'POST',
    path: '/v1/subscription/on-demand',
    feature: 'onDemand',
    summary: 'Set on-demand overage',
    description: 'Would turn overage on or off, with a monthly ceiling of the person’s own.',
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
    description: 'Would give a one-time link to the customer portal of a payment provider.',
    withToken: 'it is the demo tier’s and not built; no payment provider is connected here.',
    parameters: {},
    issue: 'demo-payment-portal',
  },
  {
    kind: 'not_built',
    id: 'chat.completions',
    method: 'POST',
    path: '/v1/chat/completions',
    feature: 'chatCompletions',
    summary: 'Call a model',
    description: 'Models are called at the host of an application’s gateway, and not at this one.',
    withToken: null,
    parameters: {},
    issue: 'demo-chat-completions',
  },
]

/** Returns the features. One feature may consist of several paths. */
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
