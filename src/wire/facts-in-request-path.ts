export interface PathFacts {
  /** Set for Bedrock's `invoke`, whose path contains the model. */
  readonly isInvoke?: true
  /** Set for Vertex AI's `rawPredict`, whose path contains the model. The body is a messages request. */
  readonly isRawPredict?: true
  /** API version of Cohere's embeddings or rerankings; absent for the first version. */
  readonly version?: 'v2'
}

/** For paths that state neither the model nor whether to stream. */
export const factsInBody = { model: null, isStream: false, isJsonArray: false } as const
