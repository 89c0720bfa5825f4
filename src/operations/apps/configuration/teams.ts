import * as z from 'zod'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { always, putBody } from '#operations/kernel/put-fields.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { ExternalId, text } from '#operations/kernel/value-and-page-schemas.ts'
import { checkedTeam, teamPut } from '#operations/teams/shared/team-input-fields-and-checks.ts'
import { teamSlug } from '#operations/teams/shared/team-view.ts'
import { type ApplyCode, invalid, type Part, type Step, stepsOf } from './steps-to-apply-changes.ts'

export const TeamItem = z
  .strictObject({
    slug: teamSlug,
    displayName: text(128).meta({ description: 'Display name.', examples: ['Acme Labs'] }),
    payer: ExternalId.meta({
      description:
        'External ID of the end user whose wallet the members spend from. The end user must exist. The payer cannot be changed.',
    }),
    limits: RateLimits.meta({
      description:
        'Limits on the team. Each limit counts the usage of all members. Live and test usage is counted separately.',
    }),
  })
  .meta({ id: 'ConfigurationTeam', description: 'A team of end users. The members are not included.' })

export const teamItemPut = { slug: always(TeamItem.shape.slug), ...teamPut }

export const WantedTeam = putBody(teamItemPut).meta({
  id: 'WantedTeam',
  description: 'A team of end users. The members are not included.',
})

type Item = z.output<typeof TeamItem>

/** Members are end users, so they are not part of the configuration. */
export async function readTeams({ application, store }: ApplicationContext): Promise<Item[]> {
  const teams = await store.teams.whole(application.id)
  return teams.map(({ payer, team: { displayName, limits, slug } }) => ({
    slug,
    displayName,
    payer,
    limits: [...limits],
  }))
}

export function teamSteps(
  part: Part<Item>,
  context: ApplicationContext,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const { application, store } = context
  const payers = new Set<string>()
  return stepsOf(
    {
      resource: 'team',
      field: 'teams',
      schema: TeamItem,
      nameOf: ({ slug }) => slug,
      async prepare(item, at) {
        const checked = await checkedTeam(item.slug, item, context, `${at}.payer`)
        if (checked instanceof Refused) return checked
        const { payer } = checked
        if (payers.has(payer)) return invalid(`teams names the payer ${payer} twice.`, `${at}.payer`)
        payers.add(payer)
        return { ...item, payer }
      },
      async put(item) {
        const checked = await checkedTeam(item.slug, item, context, 'teams')
        if (checked instanceof Refused) throw checked.failure
        await store.teams.put(checked.team)
      },
      async remove({ slug }) {
        const team = await store.teams.bySlug(application.id, slug)
        if (team) await store.teams.remove(team)
      },
    },
    part,
  )
}
