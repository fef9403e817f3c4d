using Workflow.Contracts.Definitions;
using Workflow.WebService.Access;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Ui;

/// <summary>
/// Shows a problem of a request for a page, in the words of the API. A request without a session gets the form to sign
/// in.
/// </summary>
internal sealed class ProblemPage
{
    private static readonly ProblemPage Instance = new();

    /// <summary>Answers problems of requests under <c>/ui</c> with this page.</summary>
    public static Task UseAsync(HttpContext context, RequestDelegate next)
    {
        if (context.Request.Path.StartsWithSegments(AccessMiddleware.Pages, StringComparison.OrdinalIgnoreCase))
        {
            context.Features.Set(Instance);
        }

        return next(context);
    }

    public Task WriteAsync(HttpContext context, Problem problem)
    {
        if (problem is { Status: StatusCodes.Status401Unauthorized })
        {
            var request = context.Request;
            return SignInPage.WriteAsync(
                context, HttpMethods.IsPost(request.Method) ? null : request.Path + request.QueryString, null,
                problem.Status);
        }

        // A page that was to be shown again and has a problem itself shows only the latter.
        context.Features.Set<RefusedForm>(null);
        return Page.WriteAsync(context, "", problem.Title, Html.Of($"""
            {Alert(problem)}
            {Html.If(problem.OutcomeUnknown == true, $"<p>The change may have been made. Check before you repeat it.</p>")}
            <p class="nothing">Status {problem.Status}. The browser's Back leads to what you have entered.</p>
            """), problem.Status);
    }

    public static Html Alert(Problem problem) => Html.Of($"""
        <p class="error" role="alert">{problem.Detail} <code>{problem.Code}</code></p>
        {(problem.Errors ?? []).Take(Page.Rows).Select(error =>
            Html.Of($"<p><code>{error.Path}</code> {error.Message}{Place(error)}</p>"))}
        """);

    private static Html Place(DefinitionProblem error) => error.Line is null
        ? Html.Nothing
        : Html.Of($" (line {Page.Number(error.Line)}, column {Page.Number(error.Column)})");
}
