import { StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Nouns, Store } from '#domain/store-interface.ts'
import type { Database, Query } from '#store/sql/database-interface.ts'
import { aliases } from './aliases.ts'
import { applications } from './applications.ts'
import { audit } from './audit.ts'
import { balances } from './balances.ts'
import { countedUses } from './limits/rate-limit-usage.ts'
import { batches } from './batches.ts'
import { storedFiles } from './stored-files.ts'
import { sharedUses } from './limits/shared-limit-slices.ts'
import { brands } from './brands.ts'
import { bills } from '#store/nouns/billing/operator-bills.ts'
import { bundles } from './bundles.ts'
import { deviceSignIns } from '#store/nouns/team/device-sign-ins.ts'
import { dailyLimits } from './daily-limits.ts'
import { diagnosis } from './doctor-facts.ts'
import { emitters } from './emitters.ts'
import { failedSignIns } from '#store/nouns/team/failed-sign-ins.ts'
import { endUsers } from './end-users.ts'
import { endedCalls } from './ended-calls-for-tail.ts'
import { gatewaySettings } from './gateway-settings.ts'
import { credentials } from '#store/nouns/team/look-up-credentials.ts'
import { conversationCalls } from './conversation-calls.ts'
import { corrections } from './corrections.ts'
import { grants } from './grants.ts'
import { idempotency } from './idempotency.ts'
import { invoices } from '#store/nouns/billing/invoices.ts'
import { keys } from './keys.ts'
import { memberSessions } from '#store/nouns/team/member-sessions.ts'
import { members } from '#store/nouns/team/members.ts'
import { onDemandMonths } from '#store/nouns/billing/on-demand-months.ts'
import { onboarding } from './onboarding.ts'
import { organizations } from '#store/nouns/team/organizations.ts'
import { outcomes } from './outcomes.ts'
import { passkeys } from '#store/nouns/team/passkeys.ts'
import { portals } from './portals.ts'
import { probes } from './provider-probes.ts'
import { providers } from './providers.ts'
import type { Memory } from '#store/nouns/reports/hours-without-stored-sums.ts'
import { reports } from '#store/nouns/reports/reports-of-store.ts'
import { requests } from './request-list-and-details.ts'
import { routers } from './routers.ts'
import { subscriptions } from '#store/nouns/billing/subscriptions.ts'
import { teams } from './teams.ts'
import { tokens } from '#store/nouns/team/tokens.ts'
import { usage } from '#store/nouns/reports/usage-sums.ts'
import { usageRecords } from './usage-records.ts'

/**
 * The methods of the store that read and write rows, in SQL for either engine.
 * @param memory the sums of recent hours; if null, reports read the calls of these hours instead
 */
export function sqlStore(database: Database, memory: Memory = null): Store {
  return {
    read: nounsOf(database.read, memory),
    readFor: (reader) => nounsOf(database.readFor(reader), memory),
    async transaction(work, reader) {
      try {
        return await database.transaction((query) => work(nounsOf(query, memory)), reader)
      } catch (error) {
        // The disk is full or the database is unavailable, so the caller may retry the request.
        if (database.isEnvironmental(error)) throw new StoreUnavailable('write rows', { cause: error })
        throw error
      }
    },
  }
}

function nounsOf(query: Query, memory: Memory): Nouns {
  return {
    organizations: organizations(query),
    tokens: tokens(query),
    credentials: credentials(query),
    members: members(query),
    memberSessions: memberSessions(query),
    deviceSignIns: deviceSignIns(query),
    passkeys: passkeys(query),
    failedSignIns: failedSignIns(query),
    applications: applications(query),
    providers: providers(query),
    probes: probes(query),
    aliases: aliases(query),
    routers: routers(query),
    bundles: bundles(query),
    endUsers: endUsers(query),
    teams: teams(query),
    balances: balances(query),
    countedUses: countedUses(query),
    sharedUses: sharedUses(query),
    keys: keys(query),
    storedFiles: storedFiles(query),
    batches: batches(query),
    grants: grants(query),
    conversationCalls: conversationCalls(query),
    corrections: corrections(query),
    outcomes: outcomes(query),
    emitters: emitters(query),
    gatewaySettings: gatewaySettings(query),
    dailyLimits: dailyLimits(query),
    subscriptions: subscriptions(query),
    invoices: invoices(query),
    onDemandMonths: onDemandMonths(query),
    usage: usage(query, memory),
    usageRecords: usageRecords(query),
    requests: requests(query),
    endedCalls: endedCalls(query),
    reports: reports(query, memory),
    idempotency: idempotency(query),
    audit: audit(query),
    brands: brands(query),
    portals: portals(query),
    bills: bills(query),
    diagnosis: diagnosis(query),
    onboarding: onboarding(query),
  }
}
