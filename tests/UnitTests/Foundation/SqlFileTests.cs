using System.Reflection;

namespace UnitTests.Foundation;

public sealed class SqlFileTests
{
    private const string TwoStatements = """
        -- What the file is for.

        -- name: count_lanes
        select count(*) from lanes

        -- name: trim
        -- Why it trims.
        delete from events
         where created_utc < $1;

        delete from replies

        """;

    [Fact]
    public void Statement_ends_at_the_next_name()
    {
        var file = SqlFile.Parse("queries", TwoStatements);

        Assert.Equal(["count_lanes", "trim"], file.Names);
        Assert.Equal("select count(*) from lanes", file["count_lanes"]);
        Assert.Equal(
            "-- Why it trims.\ndelete from events\n where created_utc < $1;\n\ndelete from replies", file["trim"]);
    }

    [Fact]
    public void Line_ends_of_another_system_make_the_same_statements() =>
        Assert.Equal(
            SqlFile.Parse("queries", TwoStatements)["trim"],
            SqlFile.Parse("queries", TwoStatements.ReplaceLineEndings("\r\n"))["trim"]);

    [Fact]
    public void Unknown_name_is_refused_with_the_names_there_are()
    {
        var file = SqlFile.Parse("queries", TwoStatements);

        var error = Assert.Throws<InvalidDataException>(() => file["count_nodes"]);

        Assert.Equal("queries.sql has no statement 'count_nodes'. It has: count_lanes, trim.", error.Message);
    }

    [Theory]
    [InlineData("-- name: a\nselect 1\n-- name: a\nselect 2\n", "queries.sql has the name 'a' twice.")]
    [InlineData("-- name: a\nselect 1\n-- name: b\n-- nothing\n", "queries.sql has the name 'b' without a statement.")]
    [InlineData(
        "select 1\n-- name: b\nselect 2\n",
        "queries.sql has a statement without a name. Put a line '-- name: its_name' before it.")]
    [InlineData("-- name: a\nselect 1\n-- name:\nselect 2\n",
        "queries.sql has a statement without a name. Put a line '-- name: its_name' before it.")]
    public void File_that_breaks_the_format_is_refused(string text, string message) =>
        Assert.Equal(message, Assert.Throws<InvalidDataException>(() => SqlFile.Parse("queries", text)).Message);

    [Fact]
    public void Missing_file_is_refused_with_what_the_assembly_embeds()
    {
        var error = Assert.Throws<InvalidDataException>(() => SqlFile.Of(Assembly.GetExecutingAssembly(), "elsewhere"));

        Assert.StartsWith(
            "UnitTests embeds no Sql/elsewhere.sql. It embeds: ", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Statements_in_another_text_keep_their_names()
    {
        var file = SqlFile.Parse("lanes", "-- name: take\nselect 1\n-- name: leave\nselect 2")
            .Select(text => text.Replace("select", "values", StringComparison.Ordinal));

        Assert.Equal(("lanes", "values 1", "values 2"), (file.Subject, file["take"], file["leave"]));
    }
}
