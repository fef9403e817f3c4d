using Workflow.WebService.Access;

namespace Workflow.WebService.Ui;

/// <summary>A key in a form, for a session in a cookie.</summary>
internal static class SignInPage
{
    public static Task WriteAsync(HttpContext context, string? next, string? error, int status) => Page.WriteAsync(
        context, null, "Sign in", Html.Of($"""
            {Html.If(error is not null, $"<p class=\"error\" role=\"alert\">{error}</p>")}
            <form class="panel" method="post" action="/ui/sign-in">
            <p><label for="key">API key</label>
            <input id="key" name="key" type="password" required autocomplete="current-password"></p>
            <input type="hidden" name="next" value="{Local(next)}">
            <p><button>Sign in</button></p>
            <p class="nothing">One of the service's keys (Access:Keys).
            A key with <code>read:</code> looks and does not act.
            The session ends after {Sessions.Lifetime.TotalHours} hours, or when you sign out.</p>
            </form>
            """), status);

    /// <summary>Where to go afterwards: a page of this service, whatever was asked for.</summary>
    public static string Local(string? next) =>
        next is not null && next.StartsWith("/ui/", StringComparison.Ordinal)
            && !next.StartsWith("/ui/sign-", StringComparison.Ordinal)
        && !next.AsSpan().ContainsAny('\\', '\r', '\n')
            ? next : "/ui";
}
