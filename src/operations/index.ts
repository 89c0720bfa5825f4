/** The table of operations, in the order of the documentation. */
import appsCreate from '#operations/apps/create.ts'
import appsCurrent from '#operations/apps/current.ts'
import appsList from '#operations/apps/list.ts'
import appsShow from '#operations/apps/show.ts'
import appsUse from '#operations/apps/use.ts'
import authToken from '#operations/auth/token.ts'
import authWhoami from '#operations/auth/whoami.ts'
import bundlesAllow from '#operations/bundles/allow.ts'
import bundlesCreate from '#operations/bundles/create.ts'
import bundlesDefault from '#operations/bundles/default.ts'
import bundlesDeny from '#operations/bundles/deny.ts'
import bundlesEdit from '#operations/bundles/edit.ts'
import bundlesInclude from '#operations/bundles/include.ts'
import bundlesList from '#operations/bundles/list.ts'
import bundlesPrice from '#operations/bundles/price.ts'
import bundlesShow from '#operations/bundles/show.ts'
import catalogModels from '#operations/catalog/models.ts'
import catalogProviders from '#operations/catalog/providers.ts'
import catalogShow from '#operations/catalog/show.ts'
import grantsIssue from '#operations/grants/issue.ts'
import grantsList from '#operations/grants/list.ts'
import health from '#operations/health/health.ts'
import keysCap from '#operations/keys/cap.ts'
import keysList from '#operations/keys/list.ts'
import keysMint from '#operations/keys/mint.ts'
import keysRevoke from '#operations/keys/revoke.ts'
import keysShow from '#operations/keys/show.ts'
import modelsAdd from '#operations/models/add.ts'
import modelsDisable from '#operations/models/disable.ts'
import modelsEnable from '#operations/models/enable.ts'
import modelsList from '#operations/models/list.ts'
import modelsRm from '#operations/models/rm.ts'
import modelsShow from '#operations/models/show.ts'
import type { Operation } from './operation.ts'
import outcomesAdd from '#operations/outcomes/add.ts'
import outcomesFinish from '#operations/outcomes/finish.ts'
import outcomesList from '#operations/outcomes/list.ts'
import outcomesRuns from '#operations/outcomes/runs.ts'
import outcomesShow from '#operations/outcomes/show.ts'
import providersConnect from '#operations/providers/connect.ts'
import providersList from '#operations/providers/list.ts'
import providersModels from '#operations/providers/models.ts'
import providersPrice from '#operations/providers/price.ts'
import providersRm from '#operations/providers/rm.ts'
import providersShow from '#operations/providers/show.ts'
import requestsExplain from '#operations/requests/explain.ts'
import requestsList from '#operations/requests/list.ts'
import subscriptionOnDemand from '#operations/subscription/on-demand.ts'
import subscriptionShow from '#operations/subscription/show.ts'
import tokensCreate from '#operations/tokens/create.ts'
import tokensList from '#operations/tokens/list.ts'
import tokensRevoke from '#operations/tokens/revoke.ts'
import usage from '#operations/usage/usage.ts'
import usersCreate from '#operations/users/create.ts'
import usersFreeze from '#operations/users/freeze.ts'
import usersLedger from '#operations/users/ledger.ts'
import usersList from '#operations/users/list.ts'
import usersShow from '#operations/users/show.ts'
import usersSubscribe from '#operations/users/subscribe.ts'
import usersUnfreeze from '#operations/users/unfreeze.ts'

export const operations: readonly Operation[] = [
  authWhoami,
  authToken,
  tokensCreate,
  tokensList,
  tokensRevoke,
  appsCreate,
  appsList,
  appsShow,
  appsUse,
  appsCurrent,
  providersConnect,
  providersList,
  providersShow,
  providersModels,
  providersPrice,
  providersRm,
  catalogProviders,
  catalogModels,
  catalogShow,
  modelsAdd,
  modelsList,
  modelsShow,
  modelsEnable,
  modelsDisable,
  modelsRm,
  bundlesCreate,
  bundlesList,
  bundlesShow,
  bundlesEdit,
  bundlesAllow,
  bundlesDeny,
  bundlesDefault,
  bundlesPrice,
  bundlesInclude,
  usersCreate,
  usersList,
  usersShow,
  usersFreeze,
  usersUnfreeze,
  usersLedger,
  usersSubscribe,
  subscriptionShow,
  subscriptionOnDemand,
  keysMint,
  keysList,
  keysShow,
  keysCap,
  keysRevoke,
  grantsIssue,
  grantsList,
  usage,
  outcomesAdd,
  outcomesList,
  outcomesShow,
  outcomesRuns,
  outcomesFinish,
  requestsList,
  requestsExplain,
  health,
]
