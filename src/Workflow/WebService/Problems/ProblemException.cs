namespace Workflow.WebService.Problems;

/// <summary>A request that cannot be understood or is not allowed, found before the engine was asked.</summary>
internal sealed class ProblemException(Problem problem, Exception? inner = null) : Exception(problem.Detail, inner)
{
    public Problem Problem { get; } = problem;
}
