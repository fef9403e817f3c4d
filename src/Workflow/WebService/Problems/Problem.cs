using Workflow.Contracts.Definitions;

namespace Workflow.WebService.Problems;

/// <summary>An error as a client sees it (RFC 9457).</summary>
/// <param name="Code">Stable, kebab-case kind of error; the last part of the problem's type.</param>
/// <param name="Detail">What happened, with the value concerned and the remedy.</param>
internal sealed record Problem(int Status, string Code, string Detail)
{
    public const string TypePrefix = "urn:workflow:";

    public IReadOnlyList<DefinitionProblem>? Errors { get; init; }

    /// <summary>True when the command may or may not have been committed.</summary>
    public bool? OutcomeUnknown { get; init; }

    public TimeSpan? RetryAfter { get; init; }

    /// <summary>What to look for in the log of the service; only where the client cannot know the cause.</summary>
    public string? TraceId { get; init; }

    /// <summary>The code in words: <c>instance-not-found</c> is <c>Instance not found</c>.</summary>
    public string Title => char.ToUpperInvariant(Code[0]) + Code[1..].Replace('-', ' ');
}
