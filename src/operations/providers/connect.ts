import * as z from 'zod'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { kindFacts, providerKindNames, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { withVariants, type Variants } from '#operations/kernel/openapi-annotations-of-schemas.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { kept, lasting, optional, putBody } from '#operations/kernel/put-fields.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'
import { Label, ProviderKindSchema } from '#operations/kernel/value-and-page-schemas.ts'
import { addressFault } from '#operations/providers/shared/provider-address-fault.ts'
import {
  ApiKey,
  credentialFault,
  credentialOf,
  noCredential,
  sealedCredential,
} from '#operations/providers/shared/provider-api-key.ts'
import { ProviderView, providerView } from '#operations/providers/shared/provider-view.ts'
import { providerWithEtag } from '#operations/providers/shared/provider-with-etag.ts'

/** `run` checks the two fields whose rules depend on the kind of the account. */
const accountPut = {
  kind: lasting(ProviderKindSchema),
  baseUrl: optional(
    z
      .string()
      .max(500)
      .nullable()
      .meta({
        description:
          "Base URL of the provider. The gateway appends the path of the API to this URL. Null means the vendor's address. Required for `openai_compatible`, rejected for the simulator.",
        examples: ['https://api.groq.com/openai/v1'],
      }),
    null,
  ),
  apiKey: optional(
    ApiKey.nullable().meta({
      description:
        'API key for the provider. Optional for `openai_compatible` and `ollama`, rejected for the simulator, and required for all other kinds. For `vertex`, the key file of a service account is also accepted, as JSON text.',
    }),
    null,
  ),
  onClientLeft: optional(ProviderView.shape.onClientLeft, null),
}

const kindsAt = (place: ReturnType<typeof kindFacts>['place']) =>
  providerKindNames.filter((kind) => kindFacts(kind).place === place)

const accountVariants: Variants = {
  by: 'kind',
  of: [
    {
      name: 'VendorAccount',
      description:
        'A provider account at a vendor. Each vendor has a default base URL. A new account requires an API key.',
      values: kindsAt('vendor'),
      required: ['kind'],
      without: [],
    },
    {
      name: 'ResourceAccount',
      description:
        'A provider account whose base URL belongs to a cloud resource of the organization, such as an Azure OpenAI resource. A new account requires this base URL and an API key.',
      values: kindsAt('own_resource'),
      required: ['kind'],
      without: [],
    },
    {
      name: 'ServerAccount',
      description: 'A server that uses the OpenAI format. A new account requires the base URL of the server.',
      values: kindsAt('any_server'),
      required: ['kind'],
      without: [],
    },
    {
      name: 'SimulatorAccount',
      description: 'The built-in simulator, which has neither a base URL nor an API key.',
      values: kindsAt('built_in'),
      required: ['kind'],
      without: ['baseUrl', 'apiKey'],
    },
    {
      name: 'AccountChange',
      description: 'A change to an existing account. The account can be of any kind.',
      required: [],
      without: ['kind'],
    },
  ],
}

export default operation({
  id: 'providers.connect',
  method: 'PUT',
  path: '/v1/providers/{label}',
  scope: 'organization',
  leastRole: 'admin',
  summary: 'Connect a provider account',
  description:
    'Creates the provider account with this label, or changes the existing one. No request is sent to the provider.\n\n- If the API key is omitted, the stored API key is kept. Null removes the stored API key.\n- The API key is stored encrypted and cannot be retrieved.\n- A new base URL requires its API key in the same request, so that a stored key is never sent to another address.\n- The `kind` of an existing account cannot be changed (409 `provider_kind_fixed`).',
  parameters: {
    label: Label.meta({
      description: 'Label of the account. The sources of models refer to the account by this label.',
    }),
  },
  body: withVariants(putBody(accountPut), accountVariants),
  output: ProviderView,
  errors: ['provider_kind_fixed'],
  configures: 'organization',
  async run({ body, path: { label } }, context) {
    const { nowMs, organization, ports, store } = context
    const existing = await store.providers.byLabel(organization.id, label)
    const kind = body.kind ?? existing?.kind
    if (kind === undefined) return invalid('kind is required.', 'kind')
    if (existing && existing.kind !== kind)
      return refused('provider_kind_fixed', { label, kind: existing.kind }, 'kind')

    const { place, baseUrl: vendorsUrl } = kindFacts(kind)
    const isBuiltIn = place === 'built_in'
    if (isBuiltIn && (isGiven(body.baseUrl) || isGiven(body.apiKey))) {
      const param = isGiven(body.baseUrl) ? 'baseUrl' : 'apiKey'
      return invalid(`The simulator is built in and accepts no ${param}.`, param)
    }
    const baseUrl =
      kept(body.baseUrl?.replace(/\/+$/, '') ?? body.baseUrl, existing?.baseUrl, null) ?? vendorsUrl
    if (!isBuiltIn && baseUrl === null) return invalid('baseUrl is required.', 'baseUrl')
    const isKeyKept = body.apiKey === undefined && existing !== null && existing.sealedCredential !== null
    if ((place === 'vendor' || place === 'own_resource') && !isGiven(body.apiKey) && !isKeyKept)
      return invalid('apiKey is required.', 'apiKey')
    const keyFault = isGiven(body.apiKey) ? credentialFault(kind, body.apiKey, ports) : null
    if (keyFault !== null) return invalid(keyFault, 'apiKey')
    if (baseUrl !== null && (body.baseUrl !== undefined || !existing)) {
      const fault = addressFault(baseUrl, ports) ?? queryFault(baseUrl, kind)
      if (fault !== null) return invalid(`baseUrl cannot be used: ${fault}.`, 'baseUrl')
    }
    if (isKeyKept && baseUrl !== existing.baseUrl) {
      const reason =
        'The stored API key was entered for another base URL. Send apiKey with the new base URL, or null to remove the key.'
      return invalid(reason, 'apiKey')
    }

    const id = existing?.id ?? idOf('pa', ports.newId())
    const owner = { organizationId: organization.id, id }
    const credential = isGiven(body.apiKey)
      ? sealedCredential(kind, body.apiKey, owner, context)
      : kept(body.apiKey, existing ? credentialOf(existing) : undefined, noCredential)
    const provider = {
      ...owner,
      label,
      kind,
      baseUrl,
      ...credential,
      onClientLeft: kept(body.onClientLeft, existing?.onClientLeft, null),
      createdAtMs: existing?.createdAtMs ?? nowMs,
    }
    await (existing ? store.providers.update(provider) : store.providers.insert(provider))
    return providerView(provider, context)
  },
  revision: ({ path }, context) => providerWithEtag.revision(path.label, context),
})

function isGiven(value: string | null | undefined): value is string {
  return value !== null && value !== undefined
}

function invalid(reason: string, param: string): Refused<'invalid_request'> {
  return refused('invalid_request', { reason }, param)
}

function queryFault(url: string, kind: ProviderKind): string | null {
  const { baseUrlParameter: only } = kindFacts(kind)
  if (!/[?#]/.test(url)) return null
  if (only === undefined || url.includes('#'))
    return 'it has a query or a fragment, and a path must be appended to it'
  const names = [...new URL(url).searchParams.keys()]
  return names.length === 1 && names[0] === only ? null : `its query may only contain ${only}, once`
}
