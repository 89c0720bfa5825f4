/**
 * Converts a usage record into a row of FOCUS 1.2, the FinOps Open Cost and Usage Specification
 * (focus.finops.org/focus-specification/v1-2). A row states what the customer pays its providers, and for which end
 * user. Columns that do not apply to model requests (commitments, capacity, regions) are omitted, as the specification
 * allows.
 */
import * as z from 'zod'
import { formatDollars } from '#money/amount.ts'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import type { UsageRecord } from '#domain/reports/usage-records-interface.ts'
import { Count } from '#operations/kernel/value-and-page-schemas.ts'
import { column, rowId, teamOf, type Column, type RowContext } from './ndjson-and-csv-rows.ts'
import { certaintyColumns, chargeColumns, countSource, dollars } from './columns-shared-by-exports.ts'

const time = (description: string): z.ZodType => z.iso.datetime().meta({ description })
const word = (description: string): z.ZodType => z.string().meta({ description })

/** FOCUS times have a resolution of one second. */
const second = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

function labelsOf({ alias, bundle, outcomeSlug, runId, tags }: UsageRecord, team: string | null) {
  return {
    requestedModel: alias,
    ...(bundle !== null && { bundle }),
    ...(outcomeSlug !== null && { outcome: outcomeSlug }),
    ...(runId !== null && { runId }),
    ...(tags.length > 0 && { tags: tags.join(',') }),
    ...(team !== null && { team }),
  }
}

function month(ms: number, ahead: number): string {
  const date = new Date(ms)
  return second(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead))
}

/** For any other server, only the account's label is known. */
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

export const focusColumns: readonly Column[] = [
  column('BilledCost', dollars(figures.costMicros.description), cost, 'number'),
  column('BillingAccountId', word('ID of the provider account, `pa_…`.'), ({ target }) => target.accountId),
  column(
    'BillingAccountName',
    word('Label of the provider account, or its ID if the account was deleted.'),
    labelOf,
  ),
  column('BillingAccountType', word('Always `Provider account`.'), () => 'Provider account'),
  column('BillingCurrency', word('Always `USD`.'), () => 'USD'),
  column(
    'BillingPeriodStart',
    time('Start of the month (UTC) in which the request was charged.'),
    ({ settledAtMs }) => month(settledAtMs, 0),
  ),
  column(
    'BillingPeriodEnd',
    time('Start of the following month (exclusive end of the period).'),
    ({ settledAtMs }) => month(settledAtMs, 1),
  ),
  column('ChargeCategory', word('Always `Usage`.'), () => 'Usage'),
  column(
    'ChargeClass',
    z.literal('Correction').nullable().meta({ description: '`Correction`, or null for a charged request.' }),
    ({ correction }) => (correction === null ? null : 'Correction'),
  ),
  column(
    'ChargeDescription',
    word(
      "The provider's model with its input and output tokens. For a correction of a charge, the model with the kind of correction.",
    ),
    ({ correction, inputTokens, outputTokens, target }) =>
      correction === null
        ? `${target.model}: ${inputTokens} tokens in, ${outputTokens} tokens out`
        : `${target.model}: ${correction.kind === 'refund' ? 'refund' : 'usage reported late'}`,
  ),
  column('ChargeFrequency', word('Always `Usage-Based`.'), () => 'Usage-Based'),
  column(
    'ChargePeriodStart',
    time('Start of the second in which the request was charged.'),
    ({ settledAtMs }) => second(settledAtMs),
  ),
  column(
    'ChargePeriodEnd',
    time('End of the charge period, exclusive: one second after ChargePeriodStart.'),
    ({ settledAtMs }) => second(settledAtMs + 1000),
  ),
  column(
    'ConsumedQuantity',
    Count.meta({ description: 'Sum of input and output tokens.' }),
    ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
  ),
  column('ConsumedUnit', word('Always `Tokens`.'), () => 'Tokens'),
  column(
    'ContractedCost',
    dollars('Same as BilledCost, because the price of the account is the contracted price.'),
    cost,
    'number',
  ),
  column(
    'ContractedUnitPrice',
    dollars('Same as ContractedCost, because each row prices one request.'),
    cost,
    'number',
  ),
  column('EffectiveCost', dollars('Same as BilledCost, because nothing is prepaid.'), cost, 'number'),
  column('InvoiceIssuerName', word('Same as ProviderName, because the vendor bills the account.'), vendor),
  column(
    'ListCost',
    dollars(
      'Same as BilledCost, even if the account has its own price, because the published price is not stored.',
    ),
    cost,
    'number',
  ),
  column('ListUnitPrice', dollars('Same as ListCost, because each row prices one request.'), cost, 'number'),
  column('PricingCategory', word('Always `Standard`.'), () => 'Standard'),
  column(
    'PricingQuantity',
    Count.meta({ description: 'Always 1, because a request has several rates and is priced as a whole.' }),
    () => 1,
  ),
  column('PricingUnit', word('Always `Requests`.'), () => 'Requests'),
  column(
    'ProviderName',
    word('Vendor of the model. If the vendor is not known, the label of the provider account.'),
    vendor,
  ),
  column('PublisherName', word('Same as ProviderName.'), vendor),
  column('ResourceId', word('ID of the key, `key_…`.'), ({ keyId }) => keyId),
  column('ResourceType', word('Always `API key`.'), () => 'API key'),
  column('ServiceCategory', word('Always `AI and Machine Learning`.'), () => 'AI and Machine Learning'),
  column(
    'ServiceName',
    word(
      'Name of the API of the vendor, such as `OpenAI API`. If the vendor is not known, the label of the provider account.',
    ),
    (record, context) => vendors[record.target.provider]?.service ?? labelOf(record, context),
  ),
  column('ServiceSubcategory', word('Always `Generative AI`.'), () => 'Generative AI'),
  column('SkuId', word("The provider's model ID."), ({ target }) => target.model),
  column('SkuMeter', word('Always `Tokens`.'), () => 'Tokens'),
  column(
    'SkuPriceId',
    word('ID of the quote, which contains the prices and the policy of the request.'),
    ({ quoteId }) => quoteId,
  ),
  column('SubAccountId', word('ID of the end user, `eu_…`.'), ({ endUserId }) => endUserId),
  column(
    'SubAccountName',
    word("The customer's own ID for the end user. For a deleted end user, the ID `eu_…`."),
    ({ externalId }) => externalId,
  ),
  column('SubAccountType', word('Always `End user`.'), () => 'End user'),
  column(
    'Tags',
    z.record(z.string(), z.string()).meta({
      description:
        'Application, mode and requested model of the request. The bundle, outcome, run, tags (`tags`, separated by commas) and team are included if the request has them. In CSV, the tags are JSON.',
    }),
    (record, context) => ({
      application: context.applicationSlug,
      mode: context.mode,
      ...labelsOf(record, teamOf(record, context)),
    }),
  ),
  column(
    'x_UsageRecordId',
    word(
      'ID of the usage record (`ur_…`) or of the correction (`cor_…`). Events contain the same ID of the usage record. To continue an export after this row, send the ID as `after`.',
    ),
    rowId,
  ),
  ...chargeColumns('focus'),
  countSource.focus,
  ...certaintyColumns('focus'),
]
