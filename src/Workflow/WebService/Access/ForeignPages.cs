using Workflow.WebService.Problems;

namespace Workflow.WebService.Access;

/// <summary>Refuses requests that a browser sends on behalf of pages of other sites.</summary>
internal static class ForeignPages
{
    /// <summary>Whether a page in a browser sent the request; programs do not send these headers.</summary>
    public static bool IsOfPage(HttpRequest request) =>
        request.Headers.ContainsKey("Sec-Fetch-Site") || request.Headers.ContainsKey("Origin");

    /// <summary>
    /// Refuses a form that was not sent from a page of this service. Every current browser sends the origin of a form.
    /// </summary>
    /// <exception cref="ProblemException">It was sent from another site, or has no origin.</exception>
    public static void Refuse(HttpRequest request)
    {
        var site = request.Headers["Sec-Fetch-Site"].ToString();
        var origin = request.Headers.Origin.ToString();
        var own = site.Length > 0
            ? site == "same-origin"
            : Uri.TryCreate(origin, UriKind.Absolute, out var from)
                && from.Authority.Equals(request.Host.Value, StringComparison.OrdinalIgnoreCase);
        if (!own)
        {
            throw new ProblemException(new Problem(StatusCodes.Status403Forbidden, "foreign-page",
                $"A page sent this from {(origin.Length > 0 ? $"'{origin}'" : "an unknown place")}, and the service is "
                    + $"'{request.Host}'. "
                + "Use the forms of /ui; programs use the API, without the headers Origin and Sec-Fetch-Site."));
        }
    }

    /// <summary>
    /// Without keys, a host name that an attacker points to this machine would give the attacker's page the origin of
    /// this service. Addresses and localhost cannot be redirected in this way.
    /// </summary>
    /// <exception cref="ProblemException">The service is called by another name.</exception>
    public static void RefuseNames(HttpRequest request)
    {
        var host = request.Host.Host;
        if (!host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            && !host.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase)
            && !System.Net.IPAddress.TryParse(host, out _))
        {
            throw new ProblemException(new Problem(StatusCodes.Status403Forbidden, "foreign-name",
                $"The service was called '{host}', and asks for no keys. Call it by its address or as localhost, or "
                    + "set Access:Keys."));
        }
    }
}
