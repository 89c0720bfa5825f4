/**
 * Converts a usage record into a row of FOCUS 1.2, the FinOps Open Cost and Usage Specification
 * (focus.finops.org/focus-specification/v1-2). A row states what the customer pays its providers, and for which end
 * user. Columns that do not apply to model requests (commitments, capacity, regions) are omitted, as the specification
 * allows.
 */
import * as z from 'zod'
import { formatDollars } from '#money/amount.ts'
import { figures, paidNames } from '#domain/figures.ts'
import type { UsageRecord } from '#domain/usage-records.ts'
import { Count } from '#operations/schemas.ts'
import { column, rowId, type Column, type RowContext } from './row-format.ts'

const dollars = (description: string): z.ZodType =>
  z
    .string()
    .regex(/^-?[0-9]+\.[0-9]{6}$/)
    .meta({ description })
const time = (description: string): z.ZodType => z.iso.datetime().meta({ description })
const word = (description: string): z.ZodType => z.string().meta({ description })

/** FOCUS times have a resolution of one second. */
const second = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

function month(ms: number, ahead: number): string {
  const date = new Date(ms)
  return second(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead))
}

/** Vendors by kind of account. The operator of any other server is known only by the account's label. */
const vendors: Readonly<Record<string, { readonly name: string; readonly service: string }>> = {
  openai: { name: 'OpenAI', service: 'OpenAI API' },
  anthropic: { name: 'Anthropic', service: 'Claude API' },
  google: { name: 'Google', service: 'Gemini API' },
}

function labelOf({ target }: UsageRecord, { labels }: RowContext): string {
  return labels.get(target.accountId) ?? target.accountId
}

const vendor: Column['of'] = (record, context) =>
  vendors[record.target.provider]?.name ?? labelOf(record, context)
const cost: Column['of'] = ({ costMicros }) => formatDollars(costMicros)

/** Our own columns, which begin with `x_` as FOCUS requires. */
const paidColumns: Readonly<Record<(typeof paidNames)[number], string>> = {
  paidPlanMicros: 'x_PaidFromPlan',
  paidWalletMicros: 'x_PaidFromWallet',
  paidGiftMicros: 'x_PaidFromGift',
  onDemandMicros: 'x_OnDemand',
  overdraftMicros: 'x_Overdraft',
}

export const focusColumns: readonly Column[] = [
  column('BilledCost', dollars('What the provider account is charged, in dollars.'), cost, 'number'),
  column('BillingAccountId', word('Id of the provider account, `pa_…`.'), ({ target }) => target.accountId),
  column('BillingAccountName', word('Its label; its id when it is gone.'), labelOf),
  column('BillingAccountType', word('`Provider account`.'), () => 'Provider account'),
  column('BillingCurrency', word('`USD`.'), () => 'USD'),
  column(
    'BillingPeriodStart',
    time('First second of the month (UTC) in which it was charged.'),
    ({ settledAtMs }) => month(settledAtMs, 0),
  ),
  column('BillingPeriodEnd', time('First second of the month after.'), ({ settledAtMs }) =>
    month(settledAtMs, 1),
  ),
  column('ChargeCategory', word('`Usage`.'), () => 'Usage'),
  column(
    'ChargeClass',
    z.literal('Correction').nullable().meta({ description: '`Correction`, or null for a charged request.' }),
    ({ correction }) => (correction === null ? null : 'Correction'),
  ),
  column(
    'ChargeDescription',
    word("The provider's model, with tokens in and out, or the kind of correction."),
    ({ correction, inputTokens, outputTokens, target }) =>
      correction === null
        ? `${target.model}: ${inputTokens} tokens in, ${outputTokens} tokens out`
        : `${target.model}: ${correction.kind === 'refund' ? 'refund' : 'usage reported late'}`,
  ),
  column('ChargeFrequency', word('`Usage-Based`.'), () => 'Usage-Based'),
  column('ChargePeriodStart', time('The second in which it was charged.'), ({ settledAtMs }) =>
    second(settledAtMs),
  ),
  column('ChargePeriodEnd', time('The second after.'), ({ settledAtMs }) => second(settledAtMs + 1000)),
  column(
    'ConsumedQuantity',
    Count.meta({ description: 'Tokens in and out.' }),
    ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
  ),
  column('ConsumedUnit', word('`Tokens`.'), () => 'Tokens'),
  column(
    'ContractedCost',
    dollars("As BilledCost: the account's own price is the contracted one."),
    cost,
    'number',
  ),
  column('ContractedUnitPrice', dollars('ContractedCost, of the one request.'), cost, 'number'),
  column('EffectiveCost', dollars('As BilledCost: nothing is paid ahead.'), cost, 'number'),
  column('InvoiceIssuerName', word('As ProviderName: the vendor bills the account.'), vendor),
  column(
    'ListCost',
    dollars('As BilledCost: the published price at the time is not kept where the account has its own.'),
    cost,
    'number',
  ),
  column('ListUnitPrice', dollars('ListCost, of the one request.'), cost, 'number'),
  column('PricingCategory', word('`Standard`.'), () => 'Standard'),
  column(
    'PricingQuantity',
    Count.meta({ description: '1: a request has several rates, so it is priced whole.' }),
    () => 1,
  ),
  column('PricingUnit', word('`Requests`.'), () => 'Requests'),
  column('ProviderName', word('The vendor; of another server the label of its account.'), vendor),
  column('PublisherName', word('As ProviderName.'), vendor),
  column('ResourceId', word('Id of the key it came with, `key_…`.'), ({ keyId }) => keyId),
  column('ResourceType', word('`API key`.'), () => 'API key'),
  column('ServiceCategory', word('`AI and Machine Learning`.'), () => 'AI and Machine Learning'),
  column(
    'ServiceName',
    word("The vendor's API; of another server the label of its account."),
    (record, context) => vendors[record.target.provider]?.service ?? labelOf(record, context),
  ),
  column('ServiceSubcategory', word('`Generative AI`.'), () => 'Generative AI'),
  column('SkuId', word("The provider's model id."), ({ target }) => target.model),
  column('SkuMeter', word('`Tokens`.'), () => 'Tokens'),
  column('SkuPriceId', word('Id of the quote that fixed the prices of the call.'), ({ quoteId }) => quoteId),
  column('SubAccountId', word('Id of the end user, `eu_…`.'), ({ endUserId }) => endUserId),
  column(
    'SubAccountName',
    word("The customer's own id of the person; of a removed one the id `eu_…`."),
    ({ externalId }) => externalId,
  ),
  column('SubAccountType', word('`End user`.'), () => 'End user'),
  column(
    'Tags',
    z.record(z.string(), z.string()).meta({
      description:
        'The application, the mode, the requested model, and where there are any the bundle, the outcome and the run. CSV has them as JSON.',
    }),
    ({ alias, bundle, outcomeSlug, runId }, { applicationSlug, mode }) => ({
      application: applicationSlug,
      mode,
      requestedModel: alias,
      ...(bundle !== null && { bundle }),
      ...(outcomeSlug !== null && { outcome: outcomeSlug }),
      ...(runId !== null && { runId }),
    }),
  ),
  column(
    'x_UsageRecordId',
    word('ID of the usage record (`ur_…`, as in events) or of the correction (`cor_…`). For `after`.'),
    rowId,
  ),
  column(
    'x_SoldFor',
    dollars('What the bundle sells it for, of what was charged, in dollars.'),
    ({ billedMicros }) => formatDollars(billedMicros),
    'number',
  ),
  column(
    'x_ChargedToEndUser',
    dollars('What left pools, wallet or on-demand for it, in dollars.'),
    ({ chargeMicros }) => formatDollars(chargeMicros),
    'number',
  ),
  ...paidNames.map((name) =>
    column(
      paidColumns[name],
      dollars(
        `${figures[name].description.replace('micros', 'dollars')} Null for requests recorded before payments were split.`,
      ).nullable(),
      ({ paid }) => (paid === null ? null : formatDollars(paid[name])),
      'number',
    ),
  ),
  column(
    'x_OverHold',
    dollars('What was used beyond what was held for it, in dollars: neither charged nor billed.'),
    ({ overHoldMicros }) => formatDollars(overHoldMicros),
    'number',
  ),
]
