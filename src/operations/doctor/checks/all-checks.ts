import type { Check } from './finding.ts'
import { failingAccounts } from './account-health.ts'
import { accountsAndKeys } from './accounts-and-keys.ts'
import { answeringModels } from './answering-models.ts'
import { clock } from './clock.ts'
import { costs } from './costs.ts'
import { credentials } from './credentials.ts'
import { debitBasis } from './debit-basis.ts'
import { disk } from './disk.ts'
import { emitters } from './emitters.ts'
import { holds } from './holds.ts'
import { inputBounds } from './input-bounds.ts'
import { ledger } from './ledger.ts'
import { namesAndBundles } from './names-and-bundles.ts'
import { nodes } from './nodes.ts'
import { people } from './end-users.ts'
import { prices } from './prices.ts'
import { routers } from './routers.ts'
import { tokens } from './tokens.ts'

/** All checks of the doctor, in output order. To add a check, add a file in checks/ and a line here. */
export const checks: readonly Check[] = [
  accountsAndKeys,
  prices,
  debitBasis,
  costs,
  answeringModels,
  inputBounds,
  namesAndBundles,
  routers,
  credentials,
  failingAccounts,
  people,
  tokens,
  emitters,
  holds,
  ledger,
  nodes,
  clock,
  disk,
]
