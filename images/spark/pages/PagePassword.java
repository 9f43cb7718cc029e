package metal.kafka.spark;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;

/**
 * HTTP basic authentication (RFC 7617) for the web UIs of Spark. Spark's own filter requires a header that
 * browsers do not send.
 *
 * <p>Parameter {@code file}: name:password in base64. It is read for every request, so a new password applies
 * immediately. Without the file every request fails.
 */
public final class PagePassword implements Filter {
    private Path file;

    @Override
    public void init(FilterConfig config) throws ServletException {
        String name = config.getInitParameter("file");
        if (name == null || name.isEmpty()) {
            throw new ServletException("spark." + PagePassword.class.getName() + ".param.file is not set");
        }
        file = Path.of(name);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String expected = Files.readString(file, StandardCharsets.US_ASCII).strip();
        String actual = ((HttpServletRequest) request).getHeader("Authorization");
        if (!expected.isEmpty() && actual != null && equal("Basic " + expected, actual)) {
            chain.doFilter(request, response);
            return;
        }
        HttpServletResponse rejection = (HttpServletResponse) response;
        rejection.setHeader("WWW-Authenticate", "Basic realm=\"Spark\", charset=\"UTF-8\"");
        rejection.sendError(HttpServletResponse.SC_UNAUTHORIZED);
    }

    /** Compares in constant time. */
    private static boolean equal(String expected, String actual) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.ISO_8859_1), actual.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public void destroy() {}
}
