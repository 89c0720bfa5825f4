import type { GatewaySettings, GatewaySettingsRows } from '#domain/gateway-settings.ts'
import {
  rateRulesFromText,
  rateRulesToText,
  stringsFromText,
  toolRulesFromText,
  weeklyHoursFromText,
  wiresFromText,
} from '#store/rows/json-columns.ts'
import { tagTermsFromText, tagTermsToText } from '#store/rows/tags-columns.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { GatewaySettingsRow } from '#store/sql/schema.ts'
import { first } from './read-rows-and-pages.ts'

export function gatewaySettings(query: Query): GatewaySettingsRows {
  return {
    of: (applicationId) =>
      first(
        query.selectFrom('gateway_settings').selectAll().where('application_id', '=', applicationId),
        settingsOf,
      ),
    async put({ applicationId, hours, limits, providerTools, tags, ...rest }) {
      const fields = {
        ...columnsOf(rest),
        rate_limits: rateRulesToText(limits),
        tags: tagTermsToText(tags),
        hours: hours && JSON.stringify(hours),
        // Older versions of the program read this column, and know only the values `refuse` and `drop`.
        provider_tools: providerTools === 'refuse' ? providerTools : 'drop',
        tool_rules: JSON.stringify(providerTools),
      } as const
      await query
        .insertInto('gateway_settings')
        .values({ ...columnsOf({ applicationId }), ...fields })
        .onConflict((conflict) => conflict.column('application_id').doUpdateSet(fields))
        .execute()
    },
  }
}

function settingsOf(row: GatewaySettingsRow): GatewaySettings {
  const { rate_limits: limits, tool_rules: toolRules, ...others } = row
  const { addresses, hours, models, origins, storage_prefixes: storagePrefixes, wires } = others
  return {
    ...fieldsOf(others),
    providerTools: toolRules === null ? row.provider_tools : toolRulesFromText(toolRules),
    limits: rateRulesFromText(limits),
    tags: tagTermsFromText(row.tags),
    wires: wires === null ? null : wiresFromText(wires),
    models: models === null ? null : stringsFromText(models),
    origins: stringsFromText(origins),
    storagePrefixes: storagePrefixes === null ? [] : stringsFromText(storagePrefixes),
    addresses: addresses === null ? null : stringsFromText(addresses),
    hours: hours === null ? null : weeklyHoursFromText(hours),
    passTraceparent: row.pass_traceparent === 1,
  }
}
