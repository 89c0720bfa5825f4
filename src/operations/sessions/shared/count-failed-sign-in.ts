import type { Member } from '#domain/people/member-records.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'

type NoteContext = Pick<PublicContext, 'client' | 'nowMs' | 'ports' | 'requestId' | 'store'>

/** The audit log and the Team page show the count. */
export function noteFailedSignIn(
  member: Pick<Member, 'id' | 'organizationId' | 'email'>,
  operationId: 'sessions.create' | 'sessions.passkey',
  { client: { address }, nowMs, ports, requestId }: NoteContext,
): void {
  ports.failedSignIns.note({ member, address, operationId, requestId, atMs: nowMs })
}

/** An unknown passkey belongs to no member, so nothing is counted. */
export async function noteFailedPasskey(credentialId: string, context: NoteContext): Promise<void> {
  const { members, passkeys } = context.store
  const passkey = await passkeys.byCredential(credentialId)
  const member = passkey && (await members.byId(passkey.organizationId, passkey.memberId))
  if (member) noteFailedSignIn(member, 'sessions.passkey', context)
}
