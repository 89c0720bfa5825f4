import { decodedName } from './decode-model-name.ts'

export interface AzurePath {
  readonly openaiPath: string
  /** A model name of the application. Null if the body states the model. */
  readonly deployment: string | null
}

/** The deployment's name may contain slashes, which some clients encode. */
const deploymentPath =
  /^\/openai\/deployments\/(?<deployment>[^/].*?)\/(?<operation>(?:chat\/)?completions|embeddings|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations))$/

/** Azure's v1 API, and its older paths without a version. */
const otherPath = /^\/openai\/(?:v1\/)?(?!deployments\/)(?<operation>.+)$/

/** Null if the path is not one of Azure OpenAI (docs/reference/wires.md "Azure OpenAI"). */
export function azurePath(path: string): AzurePath | null {
  const { deployment, operation } = deploymentPath.exec(path)?.groups ?? otherPath.exec(path)?.groups ?? {}
  if (operation === undefined) return null
  const openaiPath = `/v1/${operation}`
  if (deployment === undefined) return { openaiPath, deployment: null }
  const name = decodedName(deployment)
  return name === null ? null : { openaiPath, deployment: name }
}
