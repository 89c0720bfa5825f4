import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { always, putBody } from '#operations/kernel/put-fields.ts'
import { RateLimits, storedLimits } from '#operations/kernel/rate-limit-schemas.ts'
import { EndUserView, endUserView } from '#operations/users/shared/end-user-view.ts'

export default operationOn(ownEndUser, {
  id: 'users.limit',
  method: 'PUT',
  path: '/v1/end-users/{externalId}/limit',
  isExtension: true,
  summary: "Set an end user's limits",
  description:
    'Replaces the limits of an end user in the mode of the request. An empty list removes all limits. The limits take effect with the next request. Each limit counts the usage of all keys and plans of the end user. Requests in flight are not affected, and their held amounts count toward the limits.\n\n- A `micros` limit for all models, per day, week, month or in total, also counts the amount already spent in the current window. A request that exceeds the limit returns 402 `spend_limit_exceeded`.\n- Any other limit, for example on tokens or per minute, starts counting with the first request after the limit is set. A request that exceeds a limit returns 429 `rate_limited`. If the limit can never allow the request, or if the limit counts `micros` per day, week or month, the request returns 402 `spend_limit_exceeded`.\n- If a token limit allows only part of the maximum output of a request, the response is limited to that part.',
  body: putBody({
    limits: always(
      RateLimits.meta({
        description:
          'Limits of the end user. At most one limit is allowed per measure, window and list of models.',
      }),
    ),
  }),
  output: EndUserView,
  async run(endUser, context, { body }) {
    const { rates, spend } = storedLimits(body.limits)
    await context.store.balances.setLimits(endUser.id, context.mode, spend, rates)
    return endUserView(endUser, context)
  },
})
