import type { Member } from '#domain/people/member-records.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'

type NoteContext = Pick<PublicContext, 'client' | 'nowMs' | 'ports' | 'requestId' | 'store'>

/** Counts a failed sign-in of a member. The audit log and the Team page show the count. */
export function noteFailedSignIn(
  member: Pick<Member, 'id' | 'organizationId' | 'email'>,
  operationId: 'sessions.create' | 'sessions.passkey',
  { client: { address }, nowMs, ports, requestId }: NoteContext,
): void {
  ports.failedSignIns.note({ member, address, operationId, requestId, atMs: nowMs })
}

/**
 * Counts a failed sign-in for the member who owns the passkey. If the passkey is unknown, it belongs to no member, and
 * nothing is counted.
 */
export async function noteFailedPasskey(credentialId: string, context: NoteContext): Promise<void> {
  const { members, passkeys } = context.store
  const passkey = await passkeys.byCredential(credentialId)
  const member = passkey && (await members.byId(passkey.organizationId, passkey.memberId))
  if (member) noteFailedSignIn(member, 'sessions.passkey', context)
}
