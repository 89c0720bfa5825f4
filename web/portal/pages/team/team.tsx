/** The end user's team, whose members spend from the end user's wallet. */
import type { ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import { limitAmountText, limitText } from '#web/ui/limit-text.ts'
import { Money } from '#web/ui/formatted-values.tsx'
import { useRows } from '#web/portal/paged-list-hook.ts'
import { useFresh } from '#web/portal/response-cache.ts'
import { client, isCode } from '#web/portal/end-user-session.ts'
import { dayText } from '#web/portal/time-and-count-text.ts'
import { MoreRows } from '#web/portal/ui/load-more-rows-button.tsx'
import { Fact, List, Row } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown } from '#web/portal/ui/loaded-content.tsx'

export default function Team(): ReactNode {
  const rows = useRows('team', (part) => client.portal.team(part))
  const team = { ...rows, value: rows.whole }
  useFresh(['team'], 15_000)
  if (isCode(team.error, 'not_found'))
    return <PageTitle title="Team" about="You don't pay for a team. Your requests are paid as usual." />
  return (
    <>
      <PageTitle
        title={team.value ? <bdi>{team.value.displayName}</bdi> : 'Team'}
        about="Members of this team spend from your wallet. The members' own plan credit is used first."
      />
      <Shown answer={team} what="Your team" rows={4}>
        {({ balanceUnits, limits, members, pools, reservedUnits, resetsAt, spentMicros }) => (
          <dl className="mb-10 border-t border-line">
            <Fact name="Spent by members this month">
              <Money micros={spentMicros} />
            </Fact>
            <Fact name="Monthly spending resets on">{dayText(resetsAt)}</Fact>
            <Fact name="Balance of your wallet">
              <Money micros={balanceUnits} />
            </Fact>
            <Fact name="Held for requests in flight">
              <Money micros={reservedUnits} />
            </Fact>
            <Fact name="Members">{members}</Fact>
            {pools.map(
              ({ consumedMicros, displayName, grantedMicros, memberCapMicros, resetsAt: endsAt }) => (
                <Fact key={`${displayName} ${grantedMicros} ${endsAt}`} name={`Shared: ${displayName}`}>
                  <Money micros={consumedMicros} /> used of <Money micros={grantedMicros} />, at most{' '}
                  <Money micros={memberCapMicros} /> for each member
                </Fact>
              ),
            )}
            {limits.map((limit) => (
              <Fact key={limitText(limit)} name={`Limit: ${limitText(limit)}`}>
                {limitAmountText(limit.measure, BigInt(limit.most))}
              </Fact>
            ))}
          </dl>
        )}
      </Shown>
      <Part title="Members">
        <Shown answer={rows} what="The members" rows={4}>
          {(members) =>
            members.length === 0 ? (
              <p className="border-t border-line py-4 text-ink-2">No members yet.</p>
            ) : (
              <>
                <List label="Members">
                  {members.map((member) => (
                    <MemberRow key={member.endUserId} of={member} />
                  ))}
                </List>
                <MoreRows rows={rows} what="members" />
              </>
            )
          }
        </Shown>
      </Part>
    </>
  )
}

function MemberRow({
  of: { capMicros, email, endUserId, heldMicros, pools, spentMicros },
}: {
  readonly of: types.EndUserTeamMember
}): ReactNode {
  return (
    <Row className="flex-wrap justify-between">
      <span className="min-w-0 flex-1">
        <bdi className="block truncate font-medium" title={endUserId}>
          {endUserId}
        </bdi>
        {email !== null && <bdi className="block truncate text-14 text-ink-2">{email}</bdi>}
      </span>
      <span className="text-right">
        <Money micros={spentMicros} className="font-medium" />
        <span className="block text-14 text-ink-2">
          {capMicros === null ? (
            'no cap'
          ) : (
            <>
              of <Money micros={capMicros} /> per month
            </>
          )}
          {heldMicros !== '0' && (
            <>
              {' · '}
              <Money micros={heldMicros} /> held
            </>
          )}
        </span>
        {pools.map(({ slug, spentMicros: spent }) => (
          <span key={slug} className="block text-14 text-ink-2">
            <Money micros={spent} /> of {slug}
          </span>
        ))}
      </span>
    </Row>
  )
}
