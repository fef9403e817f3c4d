namespace Microsoft.FSharp.Core;

/// <summary>The option type of F#, in which NBomber gives payloads.</summary>
internal sealed record FSharpOption<T>(T Value);
