import type { Check, Finding } from '#operations/doctor/finding.ts'

const shownMax = 20
const callsMax = 500

/** End users who cannot spend because they are frozen or their balance is below zero. */
export const people: Check = {
  name: 'people',
  looksAt: `Up to ${shownMax} frozen people, and the wallets of the people of the newest ${callsMax} calls and of the newest 200 people.`,
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
        message: `Spending of ${externalId} is stopped since ${new Date(frozenAtMs).toISOString()}: every call of theirs is refused.`,
        fix: {
          say: 'Allow spending again.',
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
        message: `The wallet of ${externalId} is ${postedMicros} micros, by overdraft, reversal or adjustment: what is credited next pays that first.`,
        fix: {
          say: 'Credit at least what is owed.',
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
