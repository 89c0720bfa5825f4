/** The tokens remain valid unless the user also chooses to revoke them in the dialog. */
import type { ReactNode } from 'react'
import type { Token } from '#sdk/generated/types.ts'
import { When } from '#web/ui/formatted-values.tsx'
import { useRows } from '../../operations/use-operation.ts'
import { isTokenValid } from '../../is-token-valid.ts'
import { roles } from '../../sign-in/team-roles.ts'

const shownMax = 5

/** @param above only tokens with a higher role are shown; null shows all tokens */
export function CreatedTokens({
  above,
  isRevoked,
  memberId,
  onChange,
}: {
  readonly memberId: string
  readonly above: string | null
  readonly isRevoked: boolean
  readonly onChange: (isRevoked: boolean) => void
}): ReactNode {
  const { rows = [] } = useRows('tokens.list', { limit: 200 })
  const least = roles.findIndex(([name]) => name === above) + 1
  const created = rows.filter((token) => isOfMember(token, memberId) && rankOf(token) >= least)
  if (created.length === 0) return null
  const rest = created.length - shownMax
  return (
    <div className="flex flex-col gap-2">
      <p>
        {above === null
          ? 'This member created these tokens, which remain valid unless you revoke them:'
          : "This member created these tokens, whose role is higher than the member's new role. The tokens remain valid unless you revoke them:"}
      </p>
      <ul className="flex flex-col gap-1 text-13">
        {created.slice(0, shownMax).map(({ id, label, lastUsedAt, role }) => (
          <li key={id}>
            <bdi className="font-medium text-ink">{label}</bdi> ({role}), last used{' '}
            <When at={lastUsedAt} reason="never" />
          </li>
        ))}
        {rest > 0 && <li>and {rest} more</li>}
      </ul>
      <label className="flex items-center gap-2 text-ink">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={isRevoked}
          onChange={({ target }) => onChange(target.checked)}
        />
        Revoke these tokens. Services that use the tokens will fail.
      </label>
    </div>
  )
}

function isOfMember(token: Token, memberId: string): boolean {
  return token.createdBy?.memberId === memberId && token.memberId === null && isTokenValid(token)
}

function rankOf({ role }: Token): number {
  return roles.findIndex(([name]) => name === role)
}
