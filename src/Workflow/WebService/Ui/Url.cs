namespace Workflow.WebService.Ui;

/// <summary>Addresses within the service.</summary>
internal static class Url
{
    public static string Of(string path, params ReadOnlySpan<(string Name, string? Value)> parameters)
    {
        var url = new StringBuilder(path);
        var separator = '?';
        foreach (var (name, value) in parameters)
        {
            if (!string.IsNullOrEmpty(value))
            {
                url.Append(separator).Append(name).Append('=').Append(Uri.EscapeDataString(value));
                separator = '&';
            }
        }

        return url.ToString();
    }

    public static string Definition(string name, int? version = null) =>
        Of("/ui/definition", ("name", name), ("version", Page.Number(version)));

    public static string Diagram(
        string name, int? version, Guid? instance = null, bool counts = false, string? format = null) =>
        Of(
            $"/definitions/{Uri.EscapeDataString(name)}/diagram", ("format", format), ("version", Page.Number(version)),
            ("instance", instance?.ToString()), ("counts", counts ? "true" : null));
}
