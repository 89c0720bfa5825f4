import type { Check, Finding } from './finding-types.ts'

const shownMax = 20
const callsMax = 500

export const people: Check = {
  name: 'end_users',
  looksAt: `Up to ${shownMax} frozen end users, and the wallets of the end users of the newest ${callsMax} requests and of the newest 200 end users.`,
  async run({ application, mode, store }) {
    const { diagnosis } = store
    const frozen = await diagnosis.frozen(application.id, shownMax)
    const recent = await diagnosis.recentPeople(application.id, mode, callsMax)
    const negative = await diagnosis.negativeWallets(recent, mode)
    return [
      ...frozen.map(({ externalId, frozenAtMs }): Finding => ({
        code: 'person_frozen',
        severity: 'notice',
        resource: { type: 'end_user', id: externalId },
        message: `The end user ${externalId} has been frozen since ${new Date(frozenAtMs).toISOString()}, so every request of this end user is rejected.`,
        fix: {
          say: 'Unfreeze the end user.',
          call: {
            operation: 'users.unfreeze',
            method: 'POST',
            path: `/v1/end-users/${encodeURIComponent(externalId)}/unfreeze`,
            body: null,
          },
        },
      })),
      ...negative.slice(0, shownMax).map(({ externalId, postedMicros }): Finding => ({
        code: 'balance_negative',
        severity: 'warning',
        resource: { type: 'end_user', id: externalId },
        message: `The wallet of ${externalId} has a balance of ${postedMicros} micros because of an overdraft, a reversal or an adjustment. New credit first pays this debt.`,
        fix: {
          say: 'Add at least the owed amount as credit.',
          call: {
            operation: 'grants.issue',
            method: 'POST',
            path: '/v1/grants',
            body: {
              endUsers: [externalId],
              amountUnits: String(-postedMicros),
              reason: 'settles a negative balance',
            },
          },
        },
      })),
    ]
  },
}
